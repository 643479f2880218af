import { DialogForm } from "../../../components/dialog-form.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import type { ActProps } from "./act-props.ts";

/** Asks before somebody is let back: where the button is, another one may have been a moment before. */
export function EndDialog({ streamId, user, isBan, onDone = say, onClose }: ActProps & { isBan: boolean }) {
  const texts = CONSOLE_TEXTS.moderation.restrictions;
  const { userCard } = TEXTS;
  const { username: name } = user;
  const submission = useSubmit(async () => {
    const path = { stream_id: streamId, user_id: user.id };
    await client.call(isBan ? "unbanUser" : "untimeoutUser", { path });
    onClose();
    onDone(isBan ? userCard.unbanned(name) : userCard.timeoutEnded(name));
  });
  return (
    <DialogForm
      title={isBan ? texts.unbanTitle(name) : texts.endTitle(name)}
      submission={submission}
      go={isBan ? userCard.unban : userCard.endTimeout}
      onClose={onClose}
    >
      <p>{texts.endHint}</p>
    </DialogForm>
  );
}
