import type { Success } from "@livecore/client";
import { useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client, me, updatedMe } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

type Props = { setup: Success<"setUpTwoFactor">; onClose: () => void };

/** Puts the secret into an app, saves the codes, and shows that the app works, in one go. */
export function SwitchOn({ setup, onClose }: Props) {
  const { security } = TEXTS.settings;
  const [code, setCode] = useState("");
  const submission = useSubmit(async () => {
    await client.call("verifyTwoFactor", { body: { code } });
    const user = me.peek();
    if (user) updatedMe({ ...user, two_factor_enabled: true });
    say(security.isOn);
    onClose();
  });
  return (
    <DialogForm title={security.setUpTitle} submission={submission} go={security.switchOn} onClose={onClose}>
      <p>{security.scan}</p>
      {setup.qr_code !== undefined && <img class="qr" src={setup.qr_code} alt={security.qrCode} />}
      <p>{security.type}</p>
      <code class="secret">{setup.secret}</code>
      <p>{security.saveCodes}</p>
      <RecoveryCodes codes={setup.recovery_codes ?? []} />
      <Field
        name="code"
        label={security.enterCode}
        value={code}
        onValue={setCode}
        autoComplete="one-time-code"
        inputMode="numeric"
        required
      />
    </DialogForm>
  );
}
