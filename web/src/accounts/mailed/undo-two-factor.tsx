import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { MailedForm } from "./mailed-form.tsx";
import { useMailedLink } from "./mailed-token.ts";

/** Where the mail about a new second factor leads. */
export function UndoTwoFactor() {
  const { mailed } = TEXTS;
  const { token } = useMailedLink();
  return (
    <MailedForm
      texts={mailed.undoTwoFactor}
      token={token}
      act={() => client.call("undoTwoFactor", { body: { token } })}
      over={mailed.overUndo}
      offersNewLink
    />
  );
}
