import { LivecoreError, type Success } from "@livecore/client";
import { useState } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { faultOf } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";

type Props = {
  provider: string;
  token: string;
  /** The provider didn't tell an address. */
  needsEmail: boolean;
  onResult: (result: Success<"signInWithOauth">) => void;
  onStartAgain: (problem?: string) => void;
};

/** What a new account still needs after its owner came from a provider. */
export function CompleteStep({ provider, token, needsEmail, onResult, onStartAgain }: Props) {
  const { accounts } = TEXTS;
  const [username, setUsername] = useState("");
  const [email, setEmail] = useState("");
  const [invitation, setInvitation] = useState("");
  const isInvited = useRead("getInstance", {}, { isForAll: true }).data?.sign_up === "invitation";
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const body = {
      completion_token: token,
      username,
      ...(needsEmail ? { email } : {}),
      ...(isInvited ? { invitation } : {}),
    };
    try {
      onResult(await client.call("signInWithOauth", { path: { provider }, body }));
    } catch (err) {
      if (!(err instanceof LivecoreError && err.code === "invalid_token")) throw err;
      onStartAgain(accounts.complete.tooLate);
    }
  });
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <h1>{accounts.complete.title}</h1>
      <p>{accounts.complete.hint}</p>
      <Field
        name="username"
        label={accounts.username}
        value={username}
        onValue={setUsername}
        hint={accounts.usernameHint}
        fault={faultOf(refusal, "username")}
        autoComplete="username"
        maxLength={25}
        autoFocus
        required
      />
      {needsEmail && (
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
      )}
      {isInvited && (
        <Field
          name="invitation"
          label={accounts.invitation}
          value={invitation}
          onValue={setInvitation}
          hint={accounts.invitationHint}
          fault={faultOf(refusal, "invitation")}
          autoComplete="off"
          required
        />
      )}
      <Refused refusal={refusal} fields={["username", "email", "invitation"]} />
      <button type="submit" class="button wide" aria-disabled={isBusy}>
        {accounts.complete.create}
      </button>
      <button type="button" class="button quiet wide" onClick={() => onStartAgain()}>
        {accounts.startAgain}
      </button>
    </form>
  );
}
