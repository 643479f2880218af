import { useState } from "preact/hooks";
import { Dialog } from "../../../components/dialog.tsx";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client } from "../../../site/session.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

/** Other recovery codes in place of the old ones. */
export function RenewCodes({ onClose }: { onClose: () => void }) {
  const { security } = TEXTS.settings;
  const [code, setCode] = useState("");
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const submission = useSubmit(async () => {
    const renewed = await client.call("renewRecoveryCodes", { body: { code } });
    setCodes(renewed.recovery_codes);
  });
  if (codes) {
    return (
      <Dialog title={security.renewTitle} onClose={onClose}>
        <p>{security.newCodes}</p>
        <RecoveryCodes codes={codes} />
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            {security.codesDone}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <DialogForm title={security.renewTitle} submission={submission} go={security.renewGo} onClose={onClose}>
      <p>{security.renewHint}</p>
      <Field
        name="code"
        label={security.anyCode}
        value={code}
        onValue={setCode}
        autoComplete="one-time-code"
        autoFocus
        required
      />
    </DialogForm>
  );
}
