import { LivecoreError, type Success } from "@livecore/client";
import { useState } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { isBan } from "./password-step.tsx";
import { type BanDetails, banIn } from "./provider-return.ts";

type Props = {
  token: string;
  onResult: (result: Success<"finishLogin">) => void;
  onStartAgain: (problem?: string) => void;
  onBanned: (ban: BanDetails) => void;
};

/** The second factor. */
export function CodeStep({ token, onResult, onStartAgain, onBanned }: Props) {
  const { accounts } = TEXTS;
  const [code, setCode] = useState("");
  const { isBusy, refusal, submit } = useSubmit(async () => {
    try {
      onResult(await client.call("finishLogin", { body: { two_factor_token: token, code } }));
    } catch (err) {
      if (isBan(err)) return onBanned(banIn(err.details));
      // The sign-in has ended; the account wasn't signed in.
      if (err instanceof LivecoreError && err.code === "invalid_token") return onStartAgain(accounts.tooLate);
      throw err;
    }
  });
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <h1>{accounts.codeTitle}</h1>
      <p>{accounts.codeHint}</p>
      <Field
        name="code"
        label={accounts.code}
        value={code}
        onValue={setCode}
        autoComplete="one-time-code"
        autoFocus
        required
      />
      <Refused refusal={refusal} />
      <button type="submit" class="button wide" aria-disabled={isBusy}>
        {accounts.confirm}
      </button>
      <button type="button" class="button quiet wide" onClick={() => onStartAgain()}>
        {accounts.startAgain}
      </button>
    </form>
  );
}
