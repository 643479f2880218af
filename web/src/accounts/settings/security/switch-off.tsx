import { useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client, me, updatedMe } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { withStepUp } from "../../step-up/step-up.ts";

/** Takes the password and a code, since who has only the session mustn't. */
export function SwitchOff({ onClose }: { onClose: () => void }) {
  const { settings, cancel } = TEXTS;
  const { security } = settings;
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const body = { code, ...(password === "" ? {} : { password }) };
    await withStepUp(() => client.call("disableTwoFactor", { body }));
    const user = me.peek();
    if (user) updatedMe({ ...user, two_factor_enabled: false });
    say(security.isOff);
    onClose();
  });
  return (
    <FormDialog title={security.offTitle} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
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
        <Refused refusal={refusal} />
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {cancel}
          </button>
          <button type="submit" class="button danger" disabled={isBusy}>
            {security.switchOff}
          </button>
        </div>
      </form>
    </FormDialog>
  );
}
