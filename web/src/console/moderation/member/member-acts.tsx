import type { Success } from "@livecore/client";
import { useRef } from "preact/hooks";
import { me } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useKeptFocus } from "../../kept-focus.ts";
import { type Ask, type Target, useDesk } from "../desk.ts";

type Props = { user: Target; member: Success<"getChatMember">; report: (done: string) => void };

/** What a moderator may do about a user: which acts, depends on both roles and on what is in force. Each is asked before. */
export function MemberActs({ user, member, report }: Props) {
  const texts = CONSOLE_TEXTS.moderation.acts;
  const { userCard } = TEXTS;
  const { role, askTimeout, askUntimeout, askBan, askUnban } = useDesk();
  const acts = useRef<HTMLFieldSetElement>(null);
  useKeptFocus(acts);
  // Nobody acts on the owner, and only the owner and staff on moderators.
  const mayAct =
    me.value?.id !== user.id &&
    member.role !== "owner" &&
    (role !== "moderator" || member.role !== "moderator");
  if (!mayAct) return null;
  const restriction = member.restriction?.type;
  // Keyed: where another moderator acts meanwhile, a button must not become another one under the hand.
  const button = (text: string, ask: Ask, isGrave = false) => (
    <button
      key={text}
      type="button"
      class={isGrave ? "button danger" : "button quiet"}
      aria-haspopup="dialog"
      onClick={() => ask(user, report)}
    >
      {text}
    </button>
  );
  return (
    <fieldset ref={acts} class="choices" aria-label={userCard.moderate}>
      {restriction !== "ban" && button(texts.timeOut, askTimeout)}
      {restriction === "timeout" && button(userCard.endTimeout, askUntimeout)}
      {restriction === "ban" ? button(userCard.unban, askUnban) : button(texts.ban, askBan, true)}
    </fieldset>
  );
}
