import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { MailedForm } from "./mailed-form.tsx";
import { useMailedLink } from "./mailed-token.ts";

/** Where the last line of a notification's mail leads. */
export function Unsubscribe() {
  const { mailed } = TEXTS;
  const { token } = useMailedLink();
  return (
    <MailedForm
      texts={mailed.unsubscribe}
      token={token}
      act={() => client.call("unsubscribeFromMails", { query: { token } })}
      over={mailed.overUnsubscribe}
    />
  );
}
