import { to } from "../../site/page-data.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { nameOrGone } from "../account-link.tsx";
import { Age } from "../age.tsx";
import { casePath } from "../sections.ts";
import type { Case } from "./handle.ts";

type Props = {
  one: Case;
  userId: string;
  /** The one that keys act on, which alone is reached by Tab. */
  isCurrent: boolean;
  onFocus: () => void;
};

/** One target with all its reports, as the queue lists it. */
export function CaseRow({ one, userId, isCurrent, onFocus }: Props) {
  const { frame, reports } = STAFF_TEXTS;
  const { id, target_type, reason_code, subject, report_count, created_at, status, claimed_by } = one;
  const name = nameOrGone(subject);
  return (
    <li
      data-id={id}
      // Keys that are pressed on it decide about it.
      tabIndex={isCurrent ? 0 : -1}
      aria-label={`${TEXTS.report.reasons[reason_code]}: ${reports.caseOf[target_type](name)}`}
      onFocusCapture={onFocus}
    >
      <div class="what">
        <p>
          <b>{TEXTS.report.reasons[reason_code]}</b> ·{" "}
          <a href={to(casePath(id))} tabIndex={-1} dir="auto">
            {reports.caseOf[target_type](name)}
          </a>
        </p>
        <Excerpt one={one} />
      </div>
      <p class="facts quiet">
        <Age of={created_at} />
        <span>{frame.reportsOf(report_count)}</span>
        {status === "reviewing" && claimed_by ? (
          <span class="state" data-state={claimed_by.id === userId ? "own" : "reviewing"} dir="auto">
            {claimed_by.id === userId ? frame.claim.byYou : frame.claim.by(nameOrGone(claimed_by))}
          </span>
        ) : (
          <span class="state" data-state={status}>
            {reports.states[status]}
          </span>
        )}
      </p>
    </li>
  );
}

/** What says most of it: a message's text, else the first reporter's words, else what the target showed. */
function Excerpt({ one: { target_type, content, details, snapshot } }: { one: Case }) {
  const { reports } = STAFF_TEXTS;
  const text =
    target_type === "chat_message" ? (content ?? reports.removedText) : (details ?? snapshot?.title ?? "");
  return (
    <p class="excerpt quiet" dir="auto">
      {text}
    </p>
  );
}
