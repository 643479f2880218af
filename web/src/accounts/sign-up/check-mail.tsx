import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { SignInFirst } from "../../components/sign-in-first.tsx";
import { formatDuration } from "../../formats/durations.ts";
import { useTitle } from "../../site/navigation.ts";
import { site, to } from "../../site/page-data.ts";
import { me } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { nextAddress } from "../next-address.ts";
import { useFreshMe } from "./fresh-me.ts";
import { useResend } from "./resend.ts";

/** After a sign-up: waits until the address is verified, in this browser or another, and goes on by itself. */
export function CheckMail() {
  const { checkMail } = TEXTS.accounts;
  useTitle(checkMail.title);
  return (
    <div class="narrow">
      <SignInFirst title={checkMail.title} why={checkMail.signIn}>
        <Waiting />
      </SignInFirst>
    </div>
  );
}

function Waiting() {
  const { checkMail } = TEXTS.accounts;
  const { home } = TEXTS;
  const { route, query } = useLocation();
  const next = nextAddress(query.next);
  const user = me.value;
  const isVerified = user?.email_verified !== undefined;
  useFreshMe(!isVerified);
  const [wasWaiting] = useState(!isVerified);
  useEffect(() => {
    if (!isVerified) return;
    if (wasWaiting) say(checkMail.done);
    route(next, true);
  }, [isVerified]);
  const { resend, isBusy, problem, waitSeconds, isSent } = useResend();
  const mailbox = site.development?.mailbox_url ?? null;
  return (
    <div class="form">
      <h1>{checkMail.title}</h1>
      <p>
        {checkMail.sentTo} <bdi>{user?.email}</bdi>
      </p>
      <p>{checkMail.hint}</p>
      {mailbox !== null && (
        <p>
          <a href={mailbox} target="_blank" rel="noreferrer">
            {home.mails}
          </a>
        </p>
      )}
      {problem !== null && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
      <p role="status" class="outcome">
        {isSent && checkMail.resent}
      </p>
      <button
        type="button"
        class="button quiet wide"
        aria-disabled={isBusy || waitSeconds > 0}
        onClick={() => void resend()}
      >
        {waitSeconds > 0 ? checkMail.resendIn(formatDuration(waitSeconds)) : checkMail.resend}
      </button>
      <p>
        <a href={to("/settings/account")}>{checkMail.change}</a>
      </p>
      <p>
        <a href={next}>{checkMail.later}</a>
      </p>
    </div>
  );
}
