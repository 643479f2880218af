import { Settings } from "lucide";
import { SignInFirst } from "../accounts/sign-in-first.tsx";
import { Icon } from "../components/icon.tsx";
import { Loaded } from "../components/loaded.tsx";
import { useTitle } from "../site/navigation.ts";
import { to } from "../site/page-data.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import { Entry } from "./entry.tsx";
import { useNotifications } from "./list.ts";
import { unread } from "./unread.ts";
import "./notifications.css";

/** What happened to the reader, the newest first. */
export function Notifications() {
  const { notifications } = TEXTS;
  useTitle(notifications.title);
  return (
    <SignInFirst title={notifications.title} why={notifications.signIn}>
      <List />
    </SignInFirst>
  );
}

function List() {
  const { notifications } = TEXTS;
  const list = useNotifications();
  const { items, hasMore, isLoading, problem, more } = list;
  const readAll = async (): Promise<void> => {
    if (await list.readAll()) say(notifications.allRead);
  };
  const hasUnread = unread.value > 0 || items.some(({ is_read }) => !is_read);
  return (
    <div class="page notifications">
      <div class="heading">
        <h1>{notifications.title}</h1>
        <div class="actions">
          {hasUnread && (
            <button type="button" class="button quiet" onClick={() => void readAll()}>
              {notifications.markAll}
            </button>
          )}
          <a class="act" href={to("/settings/notifications")} aria-label={notifications.settings}>
            <Icon of={Settings} />
          </a>
        </div>
      </div>
      <Loaded read={list.first}>
        {() =>
          items.length === 0 && !hasMore ? (
            <div class="empty">
              <p>{notifications.empty}</p>
              <p class="quiet">{notifications.emptyHint}</p>
            </div>
          ) : (
            <ul class="entries" aria-label={notifications.title}>
              {items.map((notification) => (
                <Entry key={notification.id} notification={notification} list={list} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {hasMore && (
        <div class="more">
          {problem !== null && <p role="alert">{problem}</p>}
          <button type="button" class="button quiet" aria-busy={isLoading} onClick={more}>
            {isLoading ? TEXTS.loading : notifications.more}
          </button>
        </div>
      )}
    </div>
  );
}
