import { MessageSquare } from "lucide";
import { Icon } from "../components/icon.tsx";
import { to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";
import { unreadWhispers } from "./conversations.ts";

/** An icon with the number of unread whispers. On a phone it is there only if there are any; the account menu has it always. */
export function WhispersLink() {
  const { whispers } = TEXTS;
  const count = unreadWhispers.value;
  return (
    <a
      class="bell whispers-link"
      data-unread={count > 0}
      href={to("/whispers")}
      aria-label={count > 0 ? whispers.unread(count) : whispers.title}
    >
      <Icon of={MessageSquare} />
      {count > 0 && <span class="count">{count > 99 ? "99+" : count}</span>}
    </a>
  );
}
