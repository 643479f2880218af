import { Bell } from "lucide";
import { ErrorBoundary } from "preact-iso";
import { Icon } from "../components/icon.tsx";
import { later } from "../components/later.tsx";
import { Menu } from "../components/menu.tsx";
import { useMedia } from "../components/use-media.ts";
import { unread } from "../notifications/unread.ts";
import { failed } from "../site/navigation.ts";
import { to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

/** As in frame.css: there is no room for a panel. */
const PHONE = "(max-width: 40rem)";
const NotificationsPanel = later(
  async () => (await import("../notifications/notifications-panel.tsx")).NotificationsPanel,
);

/** A bell with the number of what is new. It opens the newest ones, and on a phone the page of all. */
export function NotificationsLink() {
  const count = unread.value;
  const isPhone = useMedia(PHONE);
  const { notifications, unread: unreadOf } = TEXTS.frame;
  const label = count > 0 ? unreadOf(count) : notifications;
  const bell = (
    <>
      <Icon of={Bell} />
      {count > 0 && <span class="count">{count > 99 ? "99+" : count}</span>}
    </>
  );
  if (isPhone)
    return (
      <a class="bell" href={to("/notifications")} aria-label={label}>
        {bell}
      </a>
    );
  return (
    <Menu label={label} button={bell} isWide>
      <ErrorBoundary onError={failed}>
        <NotificationsPanel />
      </ErrorBoundary>
    </Menu>
  );
}
