import type { Schemas } from "../../site/page-data.ts";
import { to as address } from "../../site/page-data.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { Age } from "../age.tsx";
import { accountPath } from "../sections.ts";
import { canBecome, type Handled } from "./handled.ts";

type Props = {
  one: Schemas["StaffSupportRequest"];
  /** The one that keys act on, which alone is reached by Tab. */
  isCurrent: boolean;
  /** Whether the whole message is shown. */
  isOpen: boolean;
  onToggle: () => void;
  onFocus: () => void;
  onHandle: (to: Handled) => void;
};

/** Who asks for what; the whole of it once it is opened. */
export function RequestRow({ one, isCurrent, isOpen, onToggle, onFocus, onHandle }: Props) {
  const { support } = STAFF_TEXTS;
  const { id, kind, status, email, subject, message, created_at, user_id, note, dmca } = one;
  return (
    <li
      data-id={id}
      // Keys that are pressed on it handle it.
      tabIndex={isCurrent ? 0 : -1}
      aria-label={support.of(support.kinds[kind], subject)}
      onFocusCapture={onFocus}
    >
      <div class="what">
        <p>
          <b>{support.kinds[kind]}</b>{" "}
          <button type="button" class="plain-link" aria-expanded={isOpen} onClick={onToggle}>
            <bdi dir="auto">{subject}</bdi>
          </button>
        </p>
        <p class={isOpen ? "lines" : "excerpt quiet"} dir="auto">
          {message}
        </p>
        {isOpen && dmca && (
          <dl>
            <dt>{support.work}</dt>
            <dd dir="auto">{dmca.work}</dd>
            <dt>{support.urls}</dt>
            {dmca.urls.map((url) => (
              <dd key={url} dir="auto">
                {url}
              </dd>
            ))}
            <dt>{support.signature}</dt>
            <dd dir="auto">{dmca.signature}</dd>
          </dl>
        )}
        {note !== null && (
          <p class="lines quiet">
            {support.noteTitle}: <bdi dir="auto">{note}</bdi>
          </p>
        )}
        {isOpen && (
          <p class="links">
            <a href={mailTo(email, subject)}>{support.write}</a>
            <bdi>{email}</bdi>
            {user_id === null ? (
              <span class="quiet">{support.noAccount}</span>
            ) : (
              <a href={address(accountPath(user_id))}>{support.sender}</a>
            )}
          </p>
        )}
      </div>
      <p class="facts quiet">
        <Age of={created_at} />
        <span class="state" data-state={status}>
          {support.states[status]}
        </span>
      </p>
      <div class="actions">
        {canBecome(one, "closed") && (
          <button
            type="button"
            class="button quiet"
            aria-label={support.closeOf(subject)}
            onClick={() => onHandle("closed")}
          >
            {support.close}
          </button>
        )}
        {canBecome(one, "answered") && (
          <button
            type="button"
            class="button"
            aria-label={support.answeredOf(subject)}
            onClick={() => onHandle("answered")}
          >
            {support.answered}
          </button>
        )}
      </div>
    </li>
  );
}

const mailTo = (email: string, subject: string): string =>
  `mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Re: ${subject}`)}`;
