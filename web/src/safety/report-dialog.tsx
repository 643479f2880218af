import type { components } from "@livecore/client";
import { useState } from "preact/hooks";
import { DialogForm } from "../components/dialog-form.tsx";
import { TextArea } from "../components/text-area.tsx";
import { useSubmit } from "../components/use-submit.ts";
import { client } from "../site/session.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";

type Schemas = components["schemas"];
type Reason = Schemas["ReportReasonCode"];
/** `name`: of the user, of the channel, of a message's author, or the clip's title. */
export type ReportTarget = { type: Schemas["ReportTargetType"]; id: string; name: string };

const LONGEST_DETAILS = 2_000;
const REASONS: readonly Reason[] = [
  "spam",
  "harassment",
  "hate",
  "sexual_content",
  "violence",
  "self_harm",
  "illegal",
  "other",
];

type Props = {
  target: ReportTarget;
  /** What is in the field at first. */
  details?: string;
  onClose: () => void;
};

/** Asks what is wrong with something, and sends it to the staff. */
export function ReportDialog({ target, details: given = "", onClose }: Props) {
  const [reason, setReason] = useState<Reason | null>(null);
  const [details, setDetails] = useState(given);
  const { report } = TEXTS;
  const submission = useSubmit(async () => {
    if (reason === null) return;
    const text = details.trim();
    const about = { target_type: target.type, target_id: target.id, reason_code: reason };
    await client.call("createReport", { body: { ...about, ...(text !== "" && { details: text }) } });
    say(report.sent);
    onClose();
  });
  return (
    <DialogForm
      title={report.title[target.type](target.name)}
      submission={submission}
      go={report.send}
      onClose={onClose}
    >
      <fieldset class="plain">
        <legend>{report.reason}</legend>
        {REASONS.map((code) => (
          <label key={code} class="check">
            <input
              type="radio"
              name="reason"
              required
              checked={reason === code}
              onChange={() => setReason(code)}
            />
            {report.reasons[code]}
          </label>
        ))}
      </fieldset>
      <TextArea
        name="details"
        label={report.details}
        value={details}
        onValue={setDetails}
        hint={report.detailsHint}
        maxLength={LONGEST_DETAILS}
        rows={3}
      />
    </DialogForm>
  );
}
