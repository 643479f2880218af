import type { Success } from "@livecore/client";
import { useState } from "preact/hooks";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client, type Me } from "../../../site/session.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { withStepUp } from "../../step-up/step-up.ts";
import { RenewCodes } from "./renew-codes.tsx";
import { SwitchOff } from "./switch-off.tsx";
import { SwitchOn } from "./switch-on.tsx";

type Shown = { kind: "on"; setup: Success<"setUpTwoFactor"> } | { kind: "off" } | { kind: "renew" } | null;

/** The second factor: set up, recovery codes, switched off. */
export function TwoFactor({ user }: { user: Me }) {
  const { security } = TEXTS.settings;
  const [shown, show] = useState<Shown>(null);
  const close = (): void => show(null);
  const setUp = useSubmit(async () => {
    const setup = await withStepUp(() => client.call("setUpTwoFactor"));
    show({ kind: "on", setup });
  });
  return (
    <section class="box">
      <h2>{security.twoFactor}</h2>
      <p>{user.two_factor_enabled ? security.twoFactorOn : security.twoFactorOff}</p>
      <Refused refusal={setUp.refusal} />
      <div class="actions">
        {user.two_factor_enabled ? (
          <>
            <button type="button" class="button quiet" onClick={() => show({ kind: "renew" })}>
              {security.renew}
            </button>
            <button type="button" class="button danger" onClick={() => show({ kind: "off" })}>
              {security.switchOff}
            </button>
          </>
        ) : (
          <button
            type="button"
            class="button"
            aria-disabled={setUp.isBusy}
            onClick={() => void setUp.submit()}
          >
            {security.setUp}
          </button>
        )}
      </div>
      {shown?.kind === "on" && <SwitchOn setup={shown.setup} onClose={close} />}
      {shown?.kind === "off" && <SwitchOff onClose={close} />}
      {shown?.kind === "renew" && <RenewCodes onClose={close} />}
    </section>
  );
}
