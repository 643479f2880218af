import { useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { type ActProps, LONGEST_REASON, reasonOf } from "./reason.ts";

/** Asks before a ban, and why. */
export function BanDialog({ streamId, user, reason: known = "", onDone = say, onClose }: ActProps) {
  const texts = CONSOLE_TEXTS.moderation.acts;
  const [reason, setReason] = useState(known);
  const submission = useSubmit(async () => {
    const path = { stream_id: streamId, user_id: user.id };
    await client.call("banUser", { path, body: reasonOf(reason) });
    onClose();
    onDone(TEXTS.userCard.banned(user.username));
  });
  return (
    <DialogForm
      title={texts.banTitle(user.username)}
      submission={submission}
      go={texts.ban}
      isDanger
      onClose={onClose}
    >
      <p>{texts.banHint}</p>
      <Field
        name="reason"
        autoComplete="off"
        autoFocus
        maxLength={LONGEST_REASON}
        label={texts.reason}
        hint={texts.reasonHint}
        value={reason}
        onValue={setReason}
      />
    </DialogForm>
  );
}
