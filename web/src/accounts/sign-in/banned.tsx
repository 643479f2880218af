import { useState } from "preact/hooks";
import { AppealForm } from "../../safety/appeal-form.tsx";
import { TEXTS } from "../../texts/texts.ts";
import type { BanDetails } from "./provider-return.ts";

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
        <AppealForm
          subject={{ subject_type: "ban", subject_id: subjectId }}
          token={appealToken}
          onSent={() => setSent(true)}
        />
      )}
      <button type="button" class="button quiet wide" onClick={onBack}>
        {banned.back}
      </button>
    </div>
  );
}
