import { Avatar, nameOf } from "../../components/avatar.tsx";
import { formatMoment } from "../../formats/dates.ts";
import { formatAge } from "../../formats/durations.ts";
import { serverNow } from "../../site/service-clock.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { useDesk } from "./desk.ts";
import type { Shown } from "./pending-requests.ts";

type Props = {
  request: Shown;
  /** The one that keys act on, which alone is reached by Tab. */
  isCurrent: boolean;
  onFocus: () => void;
  onDecide: (action: "approve" | "deny") => void;
  onPutAway: () => void;
};

/** Who asks, what for, and why they were banned. */
export function RequestRow({ request, isCurrent, onFocus, onDecide, onPutAway }: Props) {
  const texts = CONSOLE_TEXTS.moderation.unbanRequests;
  const { id, user, message, created_at, ban, resolution } = request;
  const { openCard } = useDesk();
  const name = nameOf(user);
  const age = formatAge(serverNow() - Date.parse(created_at));
  return (
    <li
      data-id={id}
      class={resolution ? "request decided" : "request"}
      // Keys that are pressed on it decide about it.
      tabIndex={isCurrent ? 0 : -1}
      aria-label={texts.of(name)}
      onFocusCapture={onFocus}
    >
      <div class="who">
        <Avatar user={user} />
        <button type="button" class="link" aria-haspopup="dialog" onClick={() => openCard(user)}>
          <bdi>{name}</bdi>
        </button>
        <time class="quiet" dateTime={created_at} title={formatMoment(created_at)}>
          {age === null ? texts.askedNow : texts.asked(age)}
        </time>
      </div>
      <p class="message" dir="auto">
        {message}
      </p>
      {!resolution && <Ban ban={ban} />}
      {resolution ? (
        <div class="acts">
          <p role="status">{outcomeOf(resolution)}</p>
          <button type="button" class="button quiet" onClick={onPutAway}>
            {TEXTS.hide}
          </button>
        </div>
      ) : (
        <div class="acts">
          <button
            type="button"
            class="button"
            aria-label={texts.approveOf(name)}
            onClick={() => onDecide("approve")}
          >
            {texts.approve}
          </button>
          <button
            type="button"
            class="button quiet"
            aria-label={texts.denyOf(name)}
            onClick={() => onDecide("deny")}
          >
            {texts.deny}
          </button>
        </div>
      )}
    </li>
  );
}

function Ban({ ban }: { ban: Shown["ban"] }) {
  const texts = CONSOLE_TEXTS.moderation.unbanRequests;
  if (ban === null) return <p class="quiet">{texts.unbannedSince}</p>;
  const age = formatAge(serverNow() - Date.parse(ban.created_at));
  return (
    <p class="quiet">
      <span title={formatMoment(ban.created_at)}>{age === null ? texts.bannedNow : texts.banned(age)}</span>{" "}
      <bdi>{nameOf(ban.by)}</bdi>
      {" · "}
      {ban.reason === null ? (
        texts.noReason
      ) : (
        <>
          {texts.reason}: <bdi dir="auto">{ban.reason}</bdi>
        </>
      )}
    </p>
  );
}

function outcomeOf({ status, by }: NonNullable<Shown["resolution"]>): string {
  const { outcomes, somebody } = CONSOLE_TEXTS.moderation.unbanRequests;
  const decider = by ? nameOf(by) : somebody;
  if (status === "gone") return outcomes.gone;
  if (status === "approved") return outcomes.approved(decider);
  return status === "denied" ? outcomes.denied(decider) : outcomes.expired;
}
