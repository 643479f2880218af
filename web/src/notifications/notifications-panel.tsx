import { to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";
import { Entries } from "./entries.tsx";
import { useNotifications } from "./list.ts";
import { ListHeading } from "./list-heading.tsx";
import "./notifications.css";

const SHOWN = 6;

/** The newest notifications, below the bell. */
export function NotificationsPanel() {
  const list = useNotifications();
  return (
    <div class="notifications">
      <ListHeading list={list} level="h2" />
      <Entries list={list} most={SHOWN} />
      <a class="button quiet wide" href={to("/notifications")}>
        {TEXTS.notifications.all}
      </a>
    </div>
  );
}
