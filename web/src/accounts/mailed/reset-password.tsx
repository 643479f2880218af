import { useState } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { faultOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { MailedForm } from "./mailed-form.tsx";
import { useMailedLink } from "./mailed-token.ts";

/** Where the mail for a forgotten password leads. */
export function ResetPassword() {
  const { mailed } = TEXTS;
  const { token } = useMailedLink();
  const [password, setPassword] = useState("");
  return (
    <MailedForm
      texts={mailed.reset}
      token={token}
      act={() => client.call("resetPassword", { body: { token, password } })}
      over={mailed.over}
      offersNewLink
      fields={["password"]}
    >
      {(refusal) => (
        <Field
          name="password"
          label={mailed.reset.password}
          value={password}
          onValue={setPassword}
          hint={mailed.reset.hint}
          fault={faultOf(refusal, "password")}
          autoComplete="new-password"
          isSecret
          required
        />
      )}
    </MailedForm>
  );
}
