import { KeyRound } from "lucide";
import { render } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { hasPasskeys, stepUpByPasskey } from "../passkeys/passkeys.ts";
import { Providers } from "../sign-in/providers.tsx";

/** Asks above whatever the page shows. True once the proof was accepted; false if the reader closes it. */
export function askForProof(methods: readonly string[]): Promise<boolean> {
  const place = document.createElement("div");
  document.body.append(place);
  return new Promise<boolean>((resolve) => {
    const done = (isProven: boolean): void => {
      render(null, place);
      place.remove();
      resolve(isProven);
    };
    render(<StepUp methods={methods} onDone={done} />, place);
  });
}

type Props = { methods: readonly string[]; onDone: (isProven: boolean) => void };

function StepUp({ methods, onDone }: Props) {
  const { stepUp } = TEXTS.settings;
  const isTyped = methods.includes("code") || methods.includes("password");
  const byPasskey = useSubmit(async () => {
    await stepUpByPasskey();
    onDone(true);
  });
  return (
    <Dialog title={stepUp.title} onClose={() => onDone(false)}>
      {methods.includes("passkey") && hasPasskeys() && (
        <div class="form first">
          <button
            type="button"
            class="button quiet wide"
            aria-disabled={byPasskey.isBusy}
            onClick={() => void byPasskey.submit()}
          >
            <Icon of={KeyRound} />
            {stepUp.byPasskey}
          </button>
          <Refused refusal={byPasskey.refusal} />
          <p class="divided">{TEXTS.accounts.or}</p>
        </div>
      )}
      {isTyped ? (
        <Typed isCode={methods.includes("code")} onDone={onDone} />
      ) : (
        <div class="form">
          <p>{stepUp.bySignIn}</p>
          <Providers next={location.pathname + location.search} />
          <button type="button" class="button quiet" onClick={() => onDone(false)}>
            {TEXTS.cancel}
          </button>
        </div>
      )}
    </Dialog>
  );
}

function Typed({ isCode, onDone }: { isCode: boolean; onDone: Props["onDone"] }) {
  const { settings, cancel } = TEXTS;
  const { stepUp, security } = settings;
  const [proof, setProof] = useState("");
  const { isBusy, refusal, submit } = useSubmit(async () => {
    await client.call("stepUp", { body: isCode ? { code: proof } : { password: proof } });
    onDone(true);
  });
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <p>{isCode ? stepUp.byCode : stepUp.byPassword}</p>
      <Field
        name={isCode ? "code" : "password"}
        label={isCode ? security.code : security.password}
        value={proof}
        onValue={setProof}
        autoComplete={isCode ? "one-time-code" : "current-password"}
        isSecret={!isCode}
        autoFocus
        required
      />
      <Refused refusal={refusal} />
      <div class="actions">
        <button type="button" class="button quiet" onClick={() => onDone(false)}>
          {cancel}
        </button>
        <button type="submit" class="button" aria-disabled={isBusy}>
          {stepUp.confirm}
        </button>
      </div>
    </form>
  );
}
