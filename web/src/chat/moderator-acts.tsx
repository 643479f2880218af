import type { components, Success } from "@livecore/client";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatDuration } from "../formats/durations.ts";
import { useRead } from "../site/read.ts";
import { client } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import type { Attempt } from "./outcome.ts";
import type { Room } from "./room.ts";

type ChatMessage = components["schemas"]["ChatMessage"];
type Member = Success<"getChatMember">;

const LENGTHS_S = [60, 600, 3_600, 86_400, 604_800];

type Props = {
  room: Room;
  message: ChatMessage;
  isDeleted: boolean;
  isSelf: boolean;
  isBusy: boolean;
  attempt: Attempt;
};

/** What a moderator knows of a user, and may do about them and their message. */
export function ModeratorActs({ room, message, isDeleted, isSelf, isBusy, attempt }: Props) {
  const { user_id, username: name } = message;
  const at = { stream_id: room.streamId };
  const ofUser = { path: { ...at, user_id } };
  const ofMessage = { path: { ...at, uuid: message.uuid } };
  const { userCard } = TEXTS;
  const member = useRead("getChatMember", ofUser);
  /** Reads again what the act has changed. */
  const act = async (work: () => Promise<unknown>, done: string): Promise<void> => {
    if (await attempt(work, done)) member.again();
  };
  const button = (text: string, work: () => Promise<unknown>, done: string, isGrave = false) => (
    <button
      key={text}
      type="button"
      class={isGrave ? "button danger" : "button quiet"}
      aria-disabled={isBusy}
      onClick={() => void act(work, done)}
    >
      {text}
    </button>
  );
  const whole = useRef<HTMLElement>(null);
  // The button that had the focus may be gone with the message.
  useLayoutEffect(() => {
    if (isDeleted && document.activeElement === document.body) whole.current?.focus();
  }, [isDeleted]);
  const restriction = member.data?.restriction?.type;
  const mayAct = !isSelf && member.data !== undefined && mayModerate(room.role, member.data.role);
  return (
    <section class="moderate" ref={whole} tabIndex={-1} aria-label={userCard.moderate}>
      {member.data && member.data.role !== null && <p class="quiet">{userCard.roles[member.data.role]}</p>}
      {member.problem !== null && <p role="alert">{member.problem}</p>}
      {!isDeleted && (
        <div class="choices">
          {button(userCard.delete, () => client.call("deleteChatMessage", ofMessage), userCard.deleted)}
          {button(
            TEXTS.chat.pin,
            () => client.call("pinChatMessage", { path: at, body: { uuid: message.uuid } }),
            userCard.pinnedNow,
          )}
        </div>
      )}
      {mayAct && restriction !== "ban" && (
        <fieldset class="choices">
          <legend>{userCard.timeOutFor}</legend>
          {LENGTHS_S.map((seconds) =>
            button(
              formatDuration(seconds),
              () => client.call("timeoutUser", { ...ofUser, body: { duration_seconds: seconds } }),
              userCard.timedOut(name, seconds),
            ),
          )}
        </fieldset>
      )}
      {mayAct && (
        <div class="choices">
          {restriction === "timeout" &&
            button(
              userCard.endTimeout,
              () => client.call("untimeoutUser", ofUser),
              userCard.timeoutEnded(name),
            )}
          {restriction === "ban"
            ? button(userCard.unban, () => client.call("unbanUser", ofUser), userCard.unbanned(name))
            : button(userCard.ban, () => client.call("banUser", ofUser), userCard.banned(name), true)}
        </div>
      )}
      {room.role === "owner" && mayAct && restriction !== "ban" && (
        <div class="choices">
          {member.data?.role === "vip"
            ? button(userCard.removeVip, () => client.call("removeVip", ofUser), userCard.roleChanged(name))
            : button(userCard.makeVip, () => client.call("addVip", ofUser), userCard.roleChanged(name))}
          {member.data?.role === "moderator"
            ? button(
                userCard.removeModerator,
                () => client.call("removeModerator", ofUser),
                userCard.roleChanged(name),
              )
            : button(
                userCard.makeModerator,
                () => client.call("addModerator", ofUser),
                userCard.roleChanged(name),
              )}
        </div>
      )}
    </section>
  );
}

/** Nobody acts on the owner, and only the owner and staff on moderators. */
const mayModerate = (own: Room["role"], theirs: Member["role"]): boolean =>
  theirs !== "owner" && (own === "owner" || own === "staff" || theirs !== "moderator");
