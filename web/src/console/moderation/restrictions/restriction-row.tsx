import { nameOf } from "../../../components/avatar.tsx";
import { Countdown } from "../../../components/countdown.tsx";
import { formatMoment, formatSaid } from "../../../formats/dates.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useDesk } from "../desk.ts";

/** Who can't chat, until when and why; what changes or ends it. */
export function RestrictionRow({ restriction }: { restriction: Schemas["RoomRestriction"] }) {
  const texts = CONSOLE_TEXTS.moderation.restrictions;
  const { user, type, reason, by, created_at, expires_at } = restriction;
  const { openCard, ...desk } = useDesk();
  const name = nameOf(user);
  const [edit, end] = type === "ban" ? [desk.askBan, desk.askUnban] : [desk.askTimeout, desk.askUntimeout];
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
      <button type="button" class="button quiet" aria-label={texts.editOf(name)} onClick={() => edit(user)}>
        {texts.edit}
      </button>
      <button
        type="button"
        class="button quiet"
        aria-label={type === "ban" ? texts.unbanOf(name) : texts.endOf(name)}
        onClick={() => end(user)}
      >
        {type === "ban" ? TEXTS.userCard.unban : TEXTS.userCard.endTimeout}
      </button>
    </li>
  );
}
