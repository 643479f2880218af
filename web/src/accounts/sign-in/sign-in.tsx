import type { Success } from "@livecore/client";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { useTitle } from "../../site/navigation.ts";
import { becameUser, me } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { nextAddress } from "../next-address.ts";
import { Banned } from "./banned.tsx";
import { CodeStep } from "./code-step.tsx";
import { CompleteStep } from "./complete-step.tsx";
import { PasswordStep } from "./password-step.tsx";
import {
  type BanDetails,
  type Departure,
  providerProblem,
  takeDeparture,
  takeProviderResult,
} from "./provider-return.ts";

type Step =
  | { kind: "password"; problem: string | null }
  | { kind: "code"; token: string }
  | { kind: "complete"; provider: string; token: string; needsEmail: boolean }
  | { kind: "banned"; ban: BanDetails };

type Result = Success<"login">;

/** Sign-in by password or provider, and by the second factor where the account has one. */
export function SignIn() {
  const { accounts } = TEXTS;
  useTitle(accounts.signInTitle);
  const [departure] = useState(() => takeDeparture("sign-in"));
  const [step, setStep] = useState(() => firstStep(departure));
  const { route, query } = useLocation();
  const isDone = Boolean(me.value);
  useEffect(() => {
    if (!isDone) return;
    route(nextAddress(query.next ?? departure?.next), true);
  }, [isDone]);
  const start = (problem: string | null = null): void => setStep({ kind: "password", problem });
  const proceed = (result: Result): void => {
    if (result.two_factor_token !== null) setStep({ kind: "code", token: result.two_factor_token });
    else finish(result);
  };
  return (
    <div class="narrow">
      {step.kind === "password" && (
        <PasswordStep
          problem={step.problem}
          onResult={proceed}
          onBanned={(ban) => setStep({ kind: "banned", ban })}
        />
      )}
      {step.kind === "code" && (
        <CodeStep
          token={step.token}
          onResult={finish}
          onStartAgain={start}
          onBanned={(ban) => setStep({ kind: "banned", ban })}
        />
      )}
      {step.kind === "complete" && <CompleteStep {...step} onResult={proceed} onStartAgain={start} />}
      {step.kind === "banned" && <Banned ban={step.ban} onBack={() => start()} />}
    </div>
  );
}

/** What a provider's sign-in left to do, or the form. */
function firstStep(departure: Departure | null): Step {
  const result = takeProviderResult(departure);
  if (result === null) return { kind: "password", problem: null };
  return result.kind === "refused" ? { kind: "password", problem: providerProblem(result.code) } : result;
}

/** Says what else the sign-in did. */
function finish({ user, restored, recovery_codes_left: left }: Result): void {
  const { accounts } = TEXTS;
  if (restored) say(accounts.restored);
  if (left !== undefined) say(accounts.fewCodes(left));
  if (user) becameUser(user);
}
