import { useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { formatDuration } from "../../../formats/durations.ts";
import { faultOf } from "../../../site/problems.ts";
import { client, type Me, updatedMe } from "../../../site/session.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useFreshMe } from "../../sign-up/fresh-me.ts";
import { useResend } from "../../sign-up/resend.ts";
import { withStepUp } from "../../step-up/step-up.ts";

/** The address, whether it is verified, and another one, which counts once it is. */
export function EmailForm({ user }: { user: Me }) {
  const { settings, accounts } = TEXTS;
  const { account } = settings;
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [pending, setPending] = useState<string | null>(null);
  const isVerified = user.email_verified !== undefined;
  const isPending = pending !== null && pending !== user.email;
  // The link is opened elsewhere.
  useFreshMe(!isVerified || isPending);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const body = { email, password };
    updatedMe(await withStepUp(() => client.call("updateMe", { body }), { password }));
    setPending(email.trim());
    setEmail("");
    setPassword("");
  });
  const { resend, isBusy: isMailing, problem, waitSeconds } = useResend();
  return (
    <form class="box" onSubmit={(event) => void submit(event)}>
      <h2>{account.email}</h2>
      <p>
        <bdi>{user.email}</bdi>
      </p>
      <p role="status">
        {isPending ? account.emailPending(pending) : isVerified ? account.verified : account.unverified}
      </p>
      {(isPending || !isVerified) && (
        <div class="actions">
          <button
            type="button"
            class="button quiet"
            disabled={isMailing || waitSeconds > 0}
            onClick={() => void resend()}
          >
            {waitSeconds > 0
              ? accounts.checkMail.resendIn(formatDuration(waitSeconds))
              : accounts.checkMail.resend}
          </button>
        </div>
      )}
      {problem !== null && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
      <Field
        name="email"
        type="email"
        label={account.newEmail}
        value={email}
        onValue={setEmail}
        hint={account.emailUndo}
        fault={faultOf(refusal, "email")}
        autoComplete="email"
        required
      />
      <Field
        name="password"
        label={account.currentPassword}
        value={password}
        onValue={setPassword}
        autoComplete="current-password"
        isSecret
        required
      />
      <Refused refusal={refusal} fields={["email"]} />
      <div class="actions">
        <button type="submit" class="button" disabled={isBusy}>
          {account.changeEmail}
        </button>
      </div>
    </form>
  );
}
