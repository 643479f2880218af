import type { Schemas } from "../../site/page-data.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { AccountLink, nameOrGone } from "../account-link.tsx";
import { Age } from "../age.tsx";

type Props = {
  one: Schemas["StaffAppeal"];
  userId: string;
  /** The one that keys act on, which alone is reached by Tab. */
  isCurrent: boolean;
  onFocus: () => void;
  onClaim: (action: "claim" | "release") => void;
  onDecide: (decision: "grant" | "deny") => void;
};

/** Who appeals against what, in which words. */
export function AppealRow({ one, userId, isCurrent, onFocus, onClaim, onDecide }: Props) {
  const { frame, appeals } = STAFF_TEXTS;
  const { id, user, subject_type, message, status, note, created_at, claimed_by, decided_by } = one;
  const name = nameOrGone(user);
  const isOwn = claimed_by?.id === userId;
  return (
    <li
      data-id={id}
      // Keys that are pressed on it decide about it.
      tabIndex={isCurrent ? 0 : -1}
      aria-label={appeals.of(appeals.subjects[subject_type], name)}
      onFocusCapture={onFocus}
    >
      <div class="what">
        <p>
          <b>{appeals.subjects[subject_type]}</b> · <AccountLink user={user} />
        </p>
        <p class="lines" dir="auto">
          {message}
        </p>
        {note !== null && (
          <p class="lines quiet">
            {appeals.answer}: <bdi dir="auto">{note}</bdi>
          </p>
        )}
      </div>
      <p class="facts quiet">
        <Age of={created_at} />
        <span class="state" data-state={isOwn ? "own" : status} dir="auto">
          {decided_by
            ? appeals.decidedBy(appeals.states[status], nameOrGone(decided_by))
            : claimed_by
              ? isOwn
                ? frame.claim.byYou
                : frame.claim.by(nameOrGone(claimed_by))
              : appeals.states[status]}
        </span>
      </p>
      {one.decided_at === null && (claimed_by === null || isOwn) && (
        <div class="actions">
          <button type="button" class="button quiet" onClick={() => onClaim(isOwn ? "release" : "claim")}>
            {isOwn ? frame.claim.stop : frame.claim.start}
          </button>
          <button
            type="button"
            class="button quiet"
            aria-label={appeals.declineOf(name)}
            onClick={() => onDecide("deny")}
          >
            {appeals.decline}
          </button>
          <button
            type="button"
            class="button"
            aria-label={appeals.acceptOf(name)}
            onClick={() => onDecide("grant")}
          >
            {appeals.accept}
          </button>
        </div>
      )}
    </li>
  );
}
