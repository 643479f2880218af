import { useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { to } from "../../../site/page-data.ts";
import { faultOf } from "../../../site/problems.ts";
import { client, type Me } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { useUnsaved } from "../../../site/unsaved.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { NewPassword } from "../../sign-up/new-password.tsx";
import { withStepUp } from "../../step-up/step-up.ts";

/** Another password, which ends all other sessions. */
export function PasswordForm({ user }: { user: Me }) {
  const { account } = TEXTS.settings;
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [endsTokens, setEndsTokens] = useState(false);
  useUnsaved(next);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const body = { current_password: current, new_password: next, end_tokens: endsTokens };
    await withStepUp(() => client.call("changePassword", { body }), { password: current });
    setCurrent("");
    setNext("");
    say(account.passwordChanged);
  });
  return (
    <form class="box" onSubmit={(event) => void submit(event)}>
      <h2>{account.password}</h2>
      <input type="text" name="username" value={user.username} autoComplete="username" hidden readOnly />
      <Field
        name="current_password"
        label={account.currentPassword}
        value={current}
        onValue={setCurrent}
        autoComplete="current-password"
        isSecret
        required
      />
      <NewPassword
        name="new_password"
        label={account.newPassword}
        value={next}
        onValue={setNext}
        fault={faultOf(refusal, "new_password")}
        username={user.username}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={endsTokens}
          onChange={({ currentTarget }) => setEndsTokens(currentTarget.checked)}
        />
        {account.endTokens}
      </label>
      <Refused refusal={refusal} fields={["new_password"]} />
      <div class="actions">
        <button type="submit" class="button" aria-disabled={isBusy}>
          {account.changePassword}
        </button>
      </div>
      <p>
        {account.noPassword} <a href={to("/account/forgot-password")}>{account.mailPassword}</a>
      </p>
    </form>
  );
}
