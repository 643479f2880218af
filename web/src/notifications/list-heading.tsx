import { Settings } from "lucide";
import { Icon } from "../components/icon.tsx";
import { to } from "../site/page-data.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import type { NotificationList } from "./list.ts";
import { unread } from "./unread.ts";

/** The title of the list, what one does with all of it, and the way to its settings. */
export function ListHeading({ list, level: Heading }: { list: NotificationList; level: "h1" | "h2" }) {
  const { notifications } = TEXTS;
  const readAll = async (): Promise<void> => {
    if (await list.readAll()) say(notifications.allRead);
  };
  const hasUnread = unread.value > 0 || list.items.some(({ is_read }) => !is_read);
  return (
    <div class="heading">
      <Heading>{notifications.title}</Heading>
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
  );
}
