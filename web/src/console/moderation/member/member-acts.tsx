import type { Success } from "@livecore/client";
import type { Attempt } from "../../../chat/outcome.ts";
import { client, me } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { type Target, useDesk } from "../desk.ts";

type Props = {
  user: Target;
  member: Success<"getChatMember">;
  isBusy: boolean;
  attempt: Attempt;
  report: (done: string) => void;
  onChange: () => void;
};

/** What a moderator may do about a user: which acts, depends on both roles and on what is in force. */
export function MemberActs({ user, member, isBusy, attempt, report, onChange }: Props) {
  const texts = CONSOLE_TEXTS.moderation.acts;
  const { userCard } = TEXTS;
  const { streamId, role, askTimeout, askBan } = useDesk();
  const at = { path: { stream_id: streamId, user_id: user.id } };
  // Nobody acts on the owner, and only the owner and staff on moderators.
  const mayAct =
    me.value?.id !== user.id &&
    member.role !== "owner" &&
    (role !== "moderator" || member.role !== "moderator");
  if (!mayAct) return null;
  const restriction = member.restriction?.type;
  const known = {
    reason: member.restriction?.reason ?? "",
    until: member.restriction?.expires_at ?? null,
    onDone: report,
  };
  const act = async (work: () => Promise<unknown>, done: string): Promise<void> => {
    if (await attempt(work, done)) onChange();
  };
  const button = (text: string, onClick: () => void, isGrave = false) => (
    <button
      type="button"
      class={isGrave ? "button danger" : "button quiet"}
      aria-disabled={isBusy}
      onClick={onClick}
    >
      {text}
    </button>
  );
  return (
    <div class="choices">
      {restriction !== "ban" && button(texts.timeOut, () => askTimeout(user, known))}
      {restriction === "timeout" &&
        button(
          userCard.endTimeout,
          () => void act(() => client.call("untimeoutUser", at), userCard.timeoutEnded(user.username)),
        )}
      {restriction === "ban"
        ? button(
            userCard.unban,
            () => void act(() => client.call("unbanUser", at), userCard.unbanned(user.username)),
          )
        : button(texts.ban, () => askBan(user, known), true)}
    </div>
  );
}
