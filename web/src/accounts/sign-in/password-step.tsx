import { LivecoreError, type Success } from "@livecore/client";
import { KeyRound } from "lucide";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Field } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { to } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { hasPasskeys, signInByPasskey } from "../passkeys/passkeys.ts";
import { type BanDetails, banIn } from "./provider-return.ts";
import { Providers } from "./providers.tsx";

type Props = {
  /** Why another way didn't work; null if none was tried. */
  problem: string | null;
  onResult: (result: Success<"login">) => void;
  onBanned: (ban: BanDetails) => void;
};

/** Name and password, and the other ways in. */
export function PasswordStep({ problem, onResult, onBanned }: Props) {
  const { accounts, frame } = TEXTS;
  const [login, setLogin] = useState("");
  const [password, setPassword] = useState("");
  const { query } = useLocation();
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const answer = await client.attempt("login", { body: { login, password } });
    if (answer.ok) onResult(answer.data);
    else if (isBan(answer.error)) onBanned(banIn(answer.error.details));
    else throw answer.error;
  });
  const byPasskey = useSubmit(async () => {
    try {
      onResult(await signInByPasskey());
    } catch (err) {
      if (!isBan(err)) throw err;
      onBanned(banIn(err.details));
    }
  });
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <h1>{accounts.signInTitle}</h1>
      {problem !== null && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
      <Field
        name="login"
        label={accounts.login}
        value={login}
        onValue={setLogin}
        autoComplete="username"
        required
      />
      <Field
        name="password"
        label={accounts.password}
        value={password}
        onValue={setPassword}
        autoComplete="current-password"
        isSecret
        required
      />
      <Refused refusal={refusal} />
      <button type="submit" class="button wide" aria-disabled={isBusy}>
        {accounts.signIn}
      </button>
      <p>
        <a href={to("/account/forgot-password")}>{accounts.forgot}</a>
      </p>
      <Refused refusal={byPasskey.refusal} />
      {hasPasskeys() && (
        <button
          type="button"
          class="button quiet wide"
          aria-disabled={byPasskey.isBusy}
          onClick={() => void byPasskey.submit()}
        >
          <Icon of={KeyRound} />
          {accounts.passkeys.signIn}
        </button>
      )}
      <Providers next={query.next} />
      <p>
        {accounts.noAccount}{" "}
        <a href={to(query.next ? `/sign-up?next=${encodeURIComponent(query.next)}` : "/sign-up")}>
          {frame.signUp}
        </a>
      </p>
    </form>
  );
}

/** Whether the sign-in is refused because of a ban. */
export const isBan = (err: unknown): err is LivecoreError =>
  err instanceof LivecoreError && err.code === "account_banned";
