import { Loaded } from "../components/loaded.tsx";
import { TEXTS } from "../texts/texts.ts";
import { Entry } from "./entry.tsx";
import type { NotificationList } from "./list.ts";

/** The notifications that were read so far; `most`: of the newest ones alone. */
export function Entries({ list, most }: { list: NotificationList; most?: number }) {
  const { notifications } = TEXTS;
  const { first, items, hasMore } = list;
  return (
    <Loaded read={first}>
      {() =>
        items.length === 0 && !hasMore ? (
          <div class="empty">
            <p>{notifications.empty}</p>
            <p class="quiet">{notifications.emptyHint}</p>
          </div>
        ) : (
          <ul class="entries" aria-label={notifications.title}>
            {items.slice(0, most).map((notification) => (
              <Entry key={notification.id} notification={notification} list={list} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
