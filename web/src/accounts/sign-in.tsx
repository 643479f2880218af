import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Field } from "../components/field.tsx";
import { useTitle } from "../site/navigation.ts";
import { to } from "../site/page-data.ts";
import { problemOf } from "../site/problems.ts";
import { becameUser, client, me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { nextAddress } from "./next-address.ts";

type Step = { kind: "password" } | { kind: "code"; token: string };

/** Sign-in by password, and by the second factor where the account has one. */
export function SignIn() {
  const { accounts } = TEXTS;
  useTitle(accounts.signInTitle);
  const [step, setStep] = useState<Step>({ kind: "password" });
  const { route, query } = useLocation();
  const isDone = Boolean(me.value);
  useEffect(() => {
    if (isDone) route(nextAddress(query.next), true);
  }, [isDone]);
  return (
    <div class="narrow">
      {step.kind === "password" ? (
        <PasswordStep onCode={(token) => setStep({ kind: "code", token })} />
      ) : (
        <CodeStep token={step.token} onStartAgain={() => setStep({ kind: "password" })} />
      )}
    </div>
  );
}

function PasswordStep({ onCode }: { onCode: (token: string) => void }) {
  const { accounts } = TEXTS;
  const [login, setLogin] = useState("");
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { query } = useLocation();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const result = await client.call("login", { body: { login, password } });
      if (result.requires_2fa && result.two_factor_token) onCode(result.two_factor_token);
      else if (result.user) becameUser(result.user);
    } catch (err) {
      setProblem(problemOf(err));
    }
    setBusy(false);
  };
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <h1>{accounts.signInTitle}</h1>
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
      {problem !== null && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="button wide" disabled={isBusy}>
        {accounts.signIn}
      </button>
      <p>
        <a href={to("/account/forgot-password")}>{accounts.forgot}</a>
      </p>
      <p>
        {accounts.noAccount}{" "}
        <a href={to(query.next ? `/sign-up?next=${encodeURIComponent(query.next)}` : "/sign-up")}>
          {TEXTS.frame.signUp}
        </a>
      </p>
    </form>
  );
}

function CodeStep({ token, onStartAgain }: { token: string; onStartAgain: () => void }) {
  const { accounts } = TEXTS;
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const { user } = await client.call("finishLogin", {
        body: { two_factor_token: token, code: code.trim() },
      });
      if (user) becameUser(user);
    } catch (err) {
      setProblem(problemOf(err));
    }
    setBusy(false);
  };
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
        inputMode="numeric"
        autoFocus
        required
      />
      {problem !== null && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="button wide" disabled={isBusy}>
        {accounts.confirm}
      </button>
      <button type="button" class="button quiet wide" onClick={onStartAgain}>
        {accounts.startAgain}
      </button>
    </form>
  );
}
