import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { MailedForm } from "./mailed-form.tsx";
import { useMailedLink } from "./mailed-token.ts";

/** Where the mail to a replaced address leads. */
export function UndoEmail() {
  const { mailed } = TEXTS;
  const { token } = useMailedLink();
  return (
    <MailedForm
      texts={mailed.undoEmail}
      token={token}
      act={() => client.call("undoEmailChange", { body: { token } })}
      over={mailed.overUndo}
      offersNewLink
    />
  );
}
