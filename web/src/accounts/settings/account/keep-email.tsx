import { useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client, type Me, updatedMe } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { withStepUp } from "../../step-up/step-up.ts";

/** Drops an address that waits to be verified: the account keeps its own. */
export function KeepEmail({ user, onClose }: { user: Me; onClose: () => void }) {
  const { settings, cancel } = TEXTS;
  const { account } = settings;
  const [password, setPassword] = useState("");
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const body = { email: user.email ?? "", password };
    updatedMe(await withStepUp(() => client.call("updateMe", { body }), { password }));
    say(account.emailKept);
    onClose();
  });
  return (
    <FormDialog title={account.cancelEmail} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
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
        <Refused refusal={refusal} />
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {cancel}
          </button>
          <button type="submit" class="button" disabled={isBusy}>
            {account.cancelEmail}
          </button>
        </div>
      </form>
    </FormDialog>
  );
}
