import { nameOf } from "../../../components/avatar.tsx";
import { formatMoment, formatSaid } from "../../../formats/dates.ts";
import { formatDuration } from "../../../formats/durations.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { useDesk } from "../desk.ts";

type Props = {
  action: Schemas["ModerationAction"];
  /** On the card of whom it was about. */
  isOfMember?: boolean;
};

/** Who did what to whom, when and why. */
export function ActionRow({ action, isOfMember = false }: Props) {
  const texts = CONSOLE_TEXTS.moderation.log;
  const { openCard } = useDesk();
  const { actor, target, reason, duration_seconds: seconds, created_at } = action;
  return (
    <li>
      <span class="what">
        <span>
          <b>{texts.acts[action.action]}</b>
          {seconds !== null && ` (${formatDuration(seconds)})`}
          {target && !isOfMember && (
            <>
              {" · "}
              <button type="button" class="link" aria-haspopup="dialog" onClick={() => openCard(target)}>
                <bdi>{nameOf(target)}</bdi>
              </button>
            </>
          )}
        </span>
        <span class="quiet">
          <bdi>{nameOf(actor)}</bdi>
          {" · "}
          <time dateTime={created_at} title={formatMoment(created_at)}>
            {formatSaid(created_at)}
          </time>
          {reason !== null && (
            <>
              {" · "}
              <bdi>{reason}</bdi>
            </>
          )}
        </span>
      </span>
    </li>
  );
}
