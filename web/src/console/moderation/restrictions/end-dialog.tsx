import { nameOf } from "../../../components/avatar.tsx";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useDesk } from "../desk.ts";

type Props = { restriction: Schemas["RoomRestriction"]; onDone: () => void; onClose: () => void };

/** Asks before somebody is let back: the list of them moves by itself. */
export function EndDialog({ restriction: { user, type }, onDone, onClose }: Props) {
  const texts = CONSOLE_TEXTS.moderation.restrictions;
  const { userCard } = TEXTS;
  const { streamId } = useDesk();
  const isBan = type === "ban";
  const submission = useSubmit(async () => {
    const path = { stream_id: streamId, user_id: user.id };
    await client.call(isBan ? "unbanUser" : "untimeoutUser", { path });
    say(isBan ? userCard.unbanned(user.username) : userCard.timeoutEnded(user.username));
    onClose();
    onDone();
  });
  return (
    <DialogForm
      title={isBan ? texts.unbanTitle(nameOf(user)) : texts.endTitle(nameOf(user))}
      submission={submission}
      go={isBan ? userCard.unban : userCard.endTimeout}
      onClose={onClose}
    >
      <p>{texts.endHint}</p>
    </DialogForm>
  );
}
