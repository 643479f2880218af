import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { faultOf } from "../../site/problems.ts";
import { client, type Me } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Agreement } from "./agreement.tsx";
import { NewPassword } from "./new-password.tsx";
import { useSignUpCheck } from "./sign-up-check.ts";

const LONGEST_CODE = 64;

type Props = {
  instance: Schemas["Instance"];
  /** The code of the link by which somebody was invited; empty without one. */
  invitation: string;
  onDone: (user: Me, username: string) => void;
};

/** Checks name and password as they are typed, by the rules of signing up. */
export function SignUpForm({ instance, invitation: invited, onDone }: Props) {
  const { accounts } = TEXTS;
  const [username, setUsername] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [invitation, setInvitation] = useState(invited);
  const isInvited = instance.sign_up === "invitation";
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const body = { username, email, password, ...(isInvited ? { invitation } : {}) };
    const { user } = await client.call("register", { body });
    if (user) onDone(user, username);
  });
  const state = useSignUpCheck({ username })?.username?.state;
  const taken = refusedFor(refusal, ["username_taken"]);
  const emailFault = faultOf(refusal, "email") ?? refusedFor(refusal, ["email_taken"]);
  const codeFault = faultOf(refusal, "invitation") ?? refusedFor(refusal, INVITATION_CODES);
  const nameFault = faultOf(refusal, "username") ?? taken ?? (state && NAME_FAULTS[state]?.());
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      {isInvited && (
        <Field
          name="invitation"
          label={accounts.invitation}
          value={invitation}
          onValue={setInvitation}
          hint={accounts.invitationHint}
          fault={codeFault}
          autoComplete="off"
          maxLength={LONGEST_CODE}
          required
        />
      )}
      <Field
        name="username"
        label={accounts.username}
        value={username}
        onValue={setUsername}
        hint={state === "available" ? accounts.nameFree : accounts.usernameHint}
        fault={nameFault ?? null}
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
        fault={emailFault}
        autoComplete="email"
        required
      />
      <NewPassword
        name="password"
        label={accounts.password}
        value={password}
        onValue={setPassword}
        fault={faultOf(refusal, "password")}
        username={username}
      />
      {taken === null && emailFault === null && codeFault === null && (
        <Refused refusal={refusal} fields={["username", "password"]} />
      )}
      <Agreement pages={instance.pages} />
      <button type="submit" class="button wide" aria-disabled={isBusy}>
        {accounts.signUp}
      </button>
    </form>
  );
}

const INVITATION_CODES = ["invitation_required", "invitation_invalid"];
const NAME_FAULTS: Record<string, () => string> = {
  taken: () => TEXTS.accounts.nameTaken,
  reserved: () => TEXTS.accounts.nameReserved,
  invalid: () => TEXTS.accounts.nameInvalid,
};

/** The refusal's text, where it has one of these codes. */
const refusedFor = (refusal: unknown, codes: readonly string[]): string | null =>
  refusal instanceof LivecoreError && codes.includes(refusal.code) ? refusal.message : null;
