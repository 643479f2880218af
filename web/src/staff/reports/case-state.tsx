import { formatMoment, formatSaid } from "../../formats/dates.ts";
import { formatDuration } from "../../formats/durations.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { nameOrGone } from "../account-link.tsx";
import { type Case, isClaimedBy, isUndecided } from "./handle.ts";

type Props = {
  one: Case;
  userId: string;
  onClaim: () => void;
  onRelease: () => void;
  onDecide: (how: "act" | "dismiss") => void;
};

/** Who is reviewing a case, or what was decided, and what can be done now. */
export function CaseState(props: Props) {
  const { one } = props;
  const { reports } = STAFF_TEXTS;
  return (
    <div class="case-state">
      <div class="what">
        <p>
          <b>{TEXTS.report.reasons[one.reason_code]}</b>{" "}
          <span class="state" data-state={one.status}>
            {reports.states[one.status]}
          </span>
        </p>
        <p role="status">{isUndecided(one) ? <Claim {...props} /> : <Decided one={one} />}</p>
      </div>
      {isUndecided(one) && <Acts {...props} />}
      {!isUndecided(one) && <Outcome one={one} />}
    </div>
  );
}

function Claim({ one, userId }: Props) {
  const { claim } = STAFF_TEXTS.frame;
  if (one.status !== "reviewing" || one.claimed_until === null) return claim.none;
  const until = formatSaid(one.claimed_until);
  return isClaimedBy(one, userId) ? claim.yours(until) : claim.others(nameOrGone(one.claimed_by), until);
}

function Decided({ one }: { one: Case }) {
  const { reports } = STAFF_TEXTS;
  const moment = one.decided_at === null ? "" : formatMoment(one.decided_at);
  return reports.decidedBy(reports.states[one.status], nameOrGone(one.decided_by), moment);
}

function Acts({ one, userId, onClaim, onRelease, onDecide }: Props) {
  const { frame, reports } = STAFF_TEXTS;
  const isOthers = one.status === "reviewing" && !isClaimedBy(one, userId);
  if (isOthers) return null;
  return (
    <div class="actions">
      {isClaimedBy(one, userId) ? (
        <button type="button" class="button quiet" onClick={onRelease}>
          {frame.claim.stop}
        </button>
      ) : (
        <button type="button" class="button quiet" onClick={onClaim}>
          {frame.claim.start}
        </button>
      )}
      <button type="button" class="button quiet" onClick={() => onDecide("dismiss")}>
        {reports.dismiss}
      </button>
      <button type="button" class="button" onClick={() => onDecide("act")}>
        {reports.act}
      </button>
    </div>
  );
}

/** The measures with their reasons, and what staff noted. */
export function Outcome({ one: { measures, note } }: { one: Pick<Case, "measures" | "note"> }) {
  const { reports } = STAFF_TEXTS;
  return (
    <ul class="measures">
      {measures.map(({ id, type, reason, duration_seconds }) => (
        <li key={id}>
          <b>{reports.measureNames[type]}</b>
          {duration_seconds !== null && ` (${formatDuration(duration_seconds)})`}:{" "}
          <bdi dir="auto">{reason}</bdi>
        </li>
      ))}
      {note !== null && (
        <li class="lines" dir="auto">
          <b>{reports.noteTitle}</b>: {note}
        </li>
      )}
    </ul>
  );
}
