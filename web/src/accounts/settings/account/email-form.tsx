import { useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { formatDuration } from "../../../formats/durations.ts";
import { faultOf } from "../../../site/problems.ts";
import { useRead } from "../../../site/read.ts";
import { client, type Me, updatedMe } from "../../../site/session.ts";
import { useUnsaved } from "../../../site/unsaved.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useFreshMe } from "../../sign-up/fresh-me.ts";
import { useResend } from "../../sign-up/resend.ts";
import { withStepUp } from "../../step-up/step-up.ts";
import { KeepEmail } from "./keep-email.tsx";

/** The address, whether it is verified, and another one, which counts once it is. */
export function EmailForm({ user }: { user: Me }) {
  const { settings, accounts } = TEXTS;
  const { account } = settings;
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isCancelling, setCancelling] = useState(false);
  const read = useRead("getMyEmail", {});
  const pending = read.data?.pending_email ?? null;
  const isVerified = user.email_verified !== undefined;
  // The link is opened elsewhere.
  useFreshMe(!isVerified || pending !== null);
  useUnsaved(email);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const body = { email, password };
    updatedMe(await withStepUp(() => client.call("updateMe", { body }), { password }));
    read.again();
    setEmail("");
    setPassword("");
  });
  const { resend, isBusy: isMailing, problem, waitSeconds } = useResend();
  return (
    <>
      <form class="box" onSubmit={(event) => void submit(event)}>
        <h2>{account.email}</h2>
        <p>
          <bdi>{user.email}</bdi>
        </p>
        <p role="status">
          {pending !== null
            ? account.emailPending(pending)
            : isVerified
              ? account.verified
              : account.unverified}
        </p>
        {(pending !== null || !isVerified) && (
          <div class="actions">
            <button
              type="button"
              class="button quiet"
              aria-disabled={isMailing || waitSeconds > 0}
              onClick={() => void resend()}
            >
              {waitSeconds > 0
                ? accounts.checkMail.resendIn(formatDuration(waitSeconds))
                : accounts.checkMail.resend}
            </button>
            {pending !== null && (
              <button type="button" class="button quiet" onClick={() => setCancelling(true)}>
                {account.cancelEmail}
              </button>
            )}
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
          <button type="submit" class="button" aria-disabled={isBusy}>
            {account.changeEmail}
          </button>
        </div>
      </form>
      {isCancelling && <KeepEmail user={user} onKept={read.again} onClose={() => setCancelling(false)} />}
    </>
  );
}
