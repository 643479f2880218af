import { Bell } from "lucide";
import { Icon } from "../components/icon.tsx";
import { unread } from "../notifications/unread.ts";
import { to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

/** A bell with the number of what is new. */
export function NotificationsLink() {
  const count = unread.value;
  const { notifications, unread: label } = TEXTS.frame;
  return (
    <a class="bell" href={to("/notifications")} aria-label={count > 0 ? label(count) : notifications}>
      <Icon of={Bell} />
      {count > 0 && <span class="count">{count > 99 ? "99+" : count}</span>}
    </a>
  );
}
