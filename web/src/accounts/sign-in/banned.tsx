import { useState } from "preact/hooks";
import { Refused } from "../../components/refused.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { faultOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import type { BanDetails } from "./provider-return.ts";

const SHORTEST = 20;
const LONGEST = 2_000;

/** Why nobody gets into this account, and a form for its owner to appeal. */
export function Banned({ ban, onBack }: { ban: BanDetails; onBack: () => void }) {
  const { banned } = TEXTS.accounts;
  const [isSent, setSent] = useState(false);
  const { appealToken, subjectId, reason } = ban;
  return (
    <div class="form">
      <h1>{banned.title}</h1>
      {reason === undefined ? (
        <p>{banned.hint}</p>
      ) : (
        <>
          <p>{banned.why}</p>
          <blockquote dir="auto">{reason}</blockquote>
        </>
      )}
      {isSent && <p role="status">{banned.sent}</p>}
      {!isSent && appealToken !== undefined && subjectId !== undefined && (
        <Appeal token={appealToken} subjectId={subjectId} onSent={() => setSent(true)} />
      )}
      <button type="button" class="button quiet wide" onClick={onBack}>
        {banned.back}
      </button>
    </div>
  );
}

type AppealProps = { token: string; subjectId: string; onSent: () => void };

function Appeal({ token, subjectId, onSent }: AppealProps) {
  const { banned } = TEXTS.accounts;
  const [message, setMessage] = useState("");
  const { isBusy, refusal, submit } = useSubmit(async () => {
    const subject = { subject_type: "ban", subject_id: subjectId } as const;
    await client.call("createAppeal", { body: { ...subject, message, appeal_token: token } });
    onSent();
  });
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <p>{banned.appealHint}</p>
      <TextArea
        name="message"
        label={banned.appeal}
        value={message}
        onValue={setMessage}
        hint={banned.rule}
        fault={faultOf(refusal, "message")}
        minLength={SHORTEST}
        maxLength={LONGEST}
        rows={6}
        required
      />
      <Refused refusal={refusal} fields={["message"]} />
      <button type="submit" class="button wide" disabled={isBusy}>
        {banned.send}
      </button>
    </form>
  );
}
