import type { components } from "@livecore/client";
import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { problemOf } from "../site/problems.ts";
import { client } from "../site/session.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import "./report-dialog.css";

type Schemas = components["schemas"];
type Reason = Schemas["ReportReasonCode"];
/** `name`: of the user, of the channel, of a message's author, or the clip's title. */
export type ReportTarget = { type: Schemas["ReportTargetType"]; id: string; name: string };

const LONGEST_DETAILS = 2_000;

/** Asks what is wrong with something, and sends it to the staff. */
export function ReportDialog({ target, onClose }: { target: ReportTarget; onClose: () => void }) {
  const [reason, setReason] = useState<Reason | null>(null);
  const [details, setDetails] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { report } = TEXTS;
  const title = report.title[target.type](target.name);

  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (reason === null || isBusy) return;
    setBusy(true);
    const text = details.trim();
    const about = { target_type: target.type, target_id: target.id, reason_code: reason };
    try {
      await client.call("createReport", { body: { ...about, ...(text !== "" && { details: text }) } });
      say(report.sent);
      onClose();
    } catch (err) {
      setProblem(problemOf(err));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} kind="report" onClose={onClose}>
      <form onSubmit={(event) => void send(event)}>
        <h2 dir="auto">{title}</h2>
        <fieldset>
          <legend>{report.reason}</legend>
          {Object.entries(report.reasons).map(([code, text]) => (
            <label key={code}>
              <input
                type="radio"
                name="reason"
                required
                checked={reason === code}
                onChange={() => setReason(code as Reason)}
              />
              {text}
            </label>
          ))}
        </fieldset>
        <label class="details">
          <span>{report.details}</span>
          <textarea
            rows={3}
            dir="auto"
            maxLength={LONGEST_DETAILS}
            value={details}
            onInput={({ currentTarget }) => setDetails(currentTarget.value)}
          />
          <span class="hint">{report.detailsHint}</span>
        </label>
        {problem !== null && (
          <p class="fault" role="alert">
            {problem}
          </p>
        )}
        <p class="choices">
          <button type="button" class="button quiet" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button type="submit" class="button" disabled={reason === null} aria-busy={isBusy}>
            {report.send}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
