import { nameOf } from "../../../components/avatar.tsx";
import { Countdown } from "../../../components/countdown.tsx";
import { formatDuration } from "../../../formats/durations.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { useDesk } from "../desk.ts";
import { type Action, type Known, type Resolution, TIMEOUT_S } from "./held-messages.ts";

type Props = {
  held: Known;
  /** The one that keys act on, which alone is reached by Tab. */
  isCurrent: boolean;
  onFocus: () => void;
  onDecide: (action: Action) => void;
  onNext: () => void;
};

/** How long a message waits, as the interface says. */
const WAITS_MS = 300_000;

/** Who said what, why it is held, and what decides it. */
export function HeldRow({ held, isCurrent, onFocus, onDecide, onNext }: Props) {
  const texts = CONSOLE_TEXTS.moderation.held;
  const { openCard } = useDesk();
  const { id, user_id, username, content, matched_term: term, timestamp, resolution } = held;
  const button = (action: Action, text: string, label: string) => (
    <button
      type="button"
      class={action === "approve" ? "button" : "button quiet"}
      tabIndex={isCurrent ? 0 : -1}
      aria-label={label}
      // The second press of a double click would hit the row that comes into its place.
      onClick={({ detail }) => detail <= 1 && onDecide(action)}
    >
      {text}
    </button>
  );
  return (
    <li
      data-id={id}
      class={resolution ? "request decided" : "request"}
      // Keys that are pressed on it decide about it.
      tabIndex={isCurrent ? 0 : -1}
      aria-label={texts.of(username)}
      onFocusCapture={onFocus}
    >
      <div class="who">
        <button
          type="button"
          class="link"
          tabIndex={isCurrent ? 0 : -1}
          aria-haspopup="dialog"
          onClick={() => openCard({ id: user_id, username })}
        >
          <bdi>{username}</bdi>
        </button>
        <span class="quiet ends">
          {texts.ends} <Countdown until={timestamp + WAITS_MS} />
        </span>
      </div>
      <p class="message" dir="auto">
        {content}
      </p>
      <p class="quiet" dir="auto">
        {term === "link" ? texts.link : texts.term(term)}
      </p>
      {resolution ? (
        <div class="acts">
          <p role="status">{outcomeOf(resolution)}</p>
          <button type="button" class="button quiet" onClick={({ detail }) => detail <= 1 && onNext()}>
            {texts.next}
          </button>
        </div>
      ) : (
        <div class="acts">
          {button("approve", texts.approve, texts.approveOf(username))}
          {button("deny", texts.deny, texts.denyOf(username))}
          {button("timeout", texts.timeout, texts.timeoutOf(username, formatDuration(TIMEOUT_S)))}
        </div>
      )}
    </li>
  );
}

function outcomeOf({ outcome, by }: Resolution): string {
  const { outcomes, somebody } = CONSOLE_TEXTS.moderation.held;
  const decider = by ? nameOf(by) : somebody;
  if (outcome === "gone") return outcomes.gone;
  if (outcome === "approved") return outcomes.approved(decider);
  return outcome === "denied" ? outcomes.denied(decider) : outcomes.expired;
}
