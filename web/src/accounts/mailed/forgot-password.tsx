import { useState } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { faultOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { MailedForm } from "./mailed-form.tsx";

/** Mails a link to choose another password. */
export function ForgotPassword() {
  const { mailed } = TEXTS;
  const [email, setEmail] = useState("");
  return (
    <MailedForm
      texts={mailed.forgot}
      token={null}
      act={() => client.call("forgotPassword", { body: { email } })}
      over={mailed.over}
      fields={["email"]}
    >
      {(refusal) => (
        <Field
          name="email"
          type="email"
          label={mailed.forgot.email}
          value={email}
          onValue={setEmail}
          fault={faultOf(refusal, "email")}
          autoComplete="email"
          required
        />
      )}
    </MailedForm>
  );
}
