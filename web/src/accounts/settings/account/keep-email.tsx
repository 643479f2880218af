import { useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client, type Me, updatedMe } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { withStepUp } from "../../step-up/step-up.ts";

type Props = { user: Me; onKept: () => void; onClose: () => void };

/** Drops an address that waits to be verified: the account keeps its own. */
export function KeepEmail({ user, onKept, onClose }: Props) {
  const { account } = TEXTS.settings;
  const [password, setPassword] = useState("");
  const submission = useSubmit(async () => {
    const body = { email: user.email ?? "", password };
    updatedMe(await withStepUp(() => client.call("updateMe", { body }), { password }));
    onKept();
    say(account.emailKept);
    onClose();
  });
  return (
    <DialogForm
      title={account.keepEmail}
      submission={submission}
      go={account.keepEmailGo}
      stay={account.keepEmailStay}
      onClose={onClose}
    >
      <Field
        name="password"
        label={account.currentPassword}
        value={password}
        onValue={setPassword}
        autoComplete="current-password"
        isSecret
        autoFocus
        required
      />
    </DialogForm>
  );
}
