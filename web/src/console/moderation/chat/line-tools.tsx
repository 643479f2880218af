import type { components } from "@livecore/client";
import { Ban, Clock, IdCard, Trash2 } from "lucide";
import type { LineTools } from "../../../chat/line-acts.ts";
import type { Room } from "../../../chat/room.ts";
import { Icon } from "../../../components/icon.tsx";
import { problemOf } from "../../../site/problems.ts";
import { client, me } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

type On = {
  timeOut(author: { id: string; username: string }): void;
  ban(author: { id: string; username: string }): void;
};

/** What a moderator does with a line: by its buttons, or by keys while it has the focus. */
export function lineTools(room: Room, on: On): LineTools {
  const texts = CONSOLE_TEXTS.moderation.chat;
  const remove = (uuid: string): void => {
    const path = { stream_id: room.streamId, uuid };
    const putBack = room.removeForNow(uuid);
    client.call("deleteChatMessage", { path }).catch((err: unknown) => {
      putBack();
      say(problemOf(err), { isProblem: true });
    });
  };
  const button = (act: string, label: string, icon: typeof Ban) => (
    <button type="button" tabIndex={-1} data-act={act} aria-label={label} title={label}>
      <Icon of={icon} />
    </button>
  );
  return {
    keys: { d: "delete", t: "timeout", b: "ban", i: "card" },
    steps: { j: "ArrowDown", k: "ArrowUp" },
    buttons: ({ is_deleted, user_id, username }: ChatMessage) => (
      <>
        {!is_deleted && button("delete", texts.deleteOf(username), Trash2)}
        {user_id !== me.value?.id && button("timeout", texts.timeOutOf(username), Clock)}
        {user_id !== me.value?.id && button("ban", texts.banOf(username), Ban)}
        {button("card", texts.cardOf(username), IdCard)}
      </>
    ),
    act(name, { uuid, user_id: id, username, is_deleted }) {
      if (name === "delete" && !is_deleted) remove(uuid);
      if (name === "timeout") on.timeOut({ id, username });
      if (name === "ban") on.ban({ id, username });
    },
  };
}
