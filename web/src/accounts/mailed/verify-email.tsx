import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { MailedForm } from "./mailed-form.tsx";
import { useMailedLink } from "./mailed-token.ts";

/** Where the mail to a new address leads. */
export function VerifyEmail() {
  const { mailed } = TEXTS;
  const { token, account } = useMailedLink();
  return (
    <MailedForm
      texts={mailed.verify}
      token={token}
      act={() => client.call("verifyEmail", { body: { token } })}
      over={mailed.overVerify}
    >
      {() => account !== null && <p dir="auto">{mailed.verify.account(account)}</p>}
    </MailedForm>
  );
}
