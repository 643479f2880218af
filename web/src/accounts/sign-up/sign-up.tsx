import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Field } from "../../components/field.tsx";
import { useTitle } from "../../site/navigation.ts";
import { to } from "../../site/page-data.ts";
import { faultOf, faultsIn, problemOf } from "../../site/problems.ts";
import { becameUser, client, me } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { nextAddress } from "../next-address.ts";

/** A new account, which is signed in at once. */
export function SignUp() {
  const { accounts } = TEXTS;
  useTitle(accounts.signUpTitle);
  const [username, setUsername] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const { route, query } = useLocation();
  const isDone = Boolean(me.value);
  useEffect(() => {
    if (isDone) route(nextAddress(query.next), true);
  }, [isDone]);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setRefusal(null);
    try {
      const { user } = await client.call("register", { body: { username, email, password } });
      say(accounts.welcome(username));
      if (user) becameUser(user);
    } catch (err) {
      setRefusal(err);
    }
    setBusy(false);
  };
  const isOfField = faultsIn(refusal).length > 0;
  return (
    <div class="narrow">
      <form class="form" onSubmit={(event) => void submit(event)}>
        <h1>{accounts.signUpTitle}</h1>
        <Field
          name="username"
          label={accounts.username}
          value={username}
          onValue={setUsername}
          hint={accounts.usernameHint}
          fault={faultOf(refusal, "username")}
          autoComplete="username"
          maxLength={25}
          required
        />
        <Field
          name="email"
          type="email"
          label={accounts.email}
          value={email}
          onValue={setEmail}
          hint={accounts.emailHint}
          fault={faultOf(refusal, "email")}
          autoComplete="email"
          required
        />
        <Field
          name="password"
          label={accounts.password}
          value={password}
          onValue={setPassword}
          hint={accounts.passwordHint}
          fault={faultOf(refusal, "password")}
          autoComplete="new-password"
          isSecret
          required
        />
        {refusal !== null && !isOfField && (
          <p class="fault" role="alert">
            {problemOf(refusal)}
          </p>
        )}
        <button type="submit" class="button wide" disabled={isBusy}>
          {accounts.signUp}
        </button>
        <p>
          {accounts.haveAccount}{" "}
          <a href={to(query.next ? `/sign-in?next=${encodeURIComponent(query.next)}` : "/sign-in")}>
            {TEXTS.frame.signIn}
          </a>
        </p>
      </form>
    </div>
  );
}
