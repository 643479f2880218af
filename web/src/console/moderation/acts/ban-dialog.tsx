import { useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { type ActProps, LONGEST_REASON, reasonOf } from "./act-props.ts";
import { useInForce } from "./in-force.ts";

/** Asks before a ban, and why. One in force keeps its reason unless another one is typed. */
export function BanDialog(props: ActProps) {
  const { streamId, user, onDone = say, onClose } = props;
  const texts = CONSOLE_TEXTS.moderation.acts;
  const { known, readNow } = useInForce(props);
  const [typed, type] = useState<string | null>(null);
  const submission = useSubmit(async () => {
    const path = { stream_id: streamId, user_id: user.id };
    const reason = typed ?? reasonIn(known === undefined ? await readNow() : known);
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
        value={typed ?? reasonIn(known)}
        onValue={type}
      />
    </DialogForm>
  );
}

/** A timeout's reason isn't that of a ban. */
const reasonIn = (known: ReturnType<typeof useInForce>["known"]): string =>
  (known?.type === "ban" && known.reason) || "";
