import { useState } from "preact/hooks";
import { faultOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { NewPassword } from "../sign-up/new-password.tsx";
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
        <NewPassword
          name="password"
          label={mailed.reset.password}
          value={password}
          onValue={setPassword}
          fault={faultOf(refusal, "password")}
        />
      )}
    </MailedForm>
  );
}
