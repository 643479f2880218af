import { nameOf } from "../../../components/avatar.tsx";
import { Countdown } from "../../../components/countdown.tsx";
import { useOneAtATime } from "../../../components/one-at-a-time.ts";
import { formatMoment, formatSaid } from "../../../formats/dates.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { problemOf } from "../../../site/problems.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useDesk } from "../desk.ts";

type Props = { restriction: Schemas["RoomRestriction"]; onChange: () => void };

/** Who can't chat, until when and why; what changes or ends it. */
export function RestrictionRow({ restriction, onChange }: Props) {
  const texts = CONSOLE_TEXTS.moderation.restrictions;
  const { user, type, reason, by, created_at, expires_at } = restriction;
  const { streamId, openCard, askBan, askTimeout } = useDesk();
  const { isBusy, run } = useOneAtATime();
  const name = nameOf(user);
  const end = async (): Promise<void> => {
    const path = { stream_id: streamId, user_id: user.id };
    try {
      await client.call(type === "ban" ? "unbanUser" : "untimeoutUser", { path });
      say(
        type === "ban" ? TEXTS.userCard.unbanned(user.username) : TEXTS.userCard.timeoutEnded(user.username),
      );
      onChange();
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  };
  const edit = type === "ban" ? askBan : askTimeout;
  return (
    <li>
      <span class="what">
        <span>
          <button type="button" class="link" aria-haspopup="dialog" onClick={() => openCard(user)}>
            <bdi>{name}</bdi>
          </button>
          {expires_at !== null && (
            <span class="quiet">
              {" · "}
              {texts.ends} <Countdown until={Date.parse(expires_at)} />
            </span>
          )}
        </span>
        <span class="quiet">
          {texts.by} <bdi>{nameOf(by)}</bdi>
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
      <button
        type="button"
        class="button quiet"
        aria-label={texts.editOf(name)}
        onClick={() => edit(user, reason ?? "")}
      >
        {texts.edit}
      </button>
      <button
        type="button"
        class="button quiet"
        aria-label={type === "ban" ? texts.unbanOf(name) : texts.endOf(name)}
        aria-disabled={isBusy}
        onClick={() => void run(end)}
      >
        {type === "ban" ? TEXTS.userCard.unban : TEXTS.userCard.endTimeout}
      </button>
    </li>
  );
}
