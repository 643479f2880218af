import { useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client, me, updatedMe } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { withStepUp } from "../../step-up/step-up.ts";

/** Takes the password and a code, since who has only the session mustn't. */
export function SwitchOff({ onClose }: { onClose: () => void }) {
  const { security } = TEXTS.settings;
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const submission = useSubmit(async () => {
    const body = { code, ...(password === "" ? {} : { password }) };
    await withStepUp(() => client.call("disableTwoFactor", { body }));
    const user = me.peek();
    if (user) updatedMe({ ...user, two_factor_enabled: false });
    say(security.isOff);
    onClose();
  });
  return (
    <DialogForm
      title={security.offTitle}
      submission={submission}
      go={security.switchOff}
      isDanger
      onClose={onClose}
    >
      <Field
        name="password"
        label={security.password}
        value={password}
        onValue={setPassword}
        hint={security.passwordHint}
        autoComplete="current-password"
        isSecret
      />
      <Field
        name="code"
        label={security.anyCode}
        value={code}
        onValue={setCode}
        autoComplete="one-time-code"
        required
      />
    </DialogForm>
  );
}
