import { Avatar, nameOf } from "../../../components/avatar.tsx";
import { ChannelLink } from "../../../components/channel-link.tsx";
import { PagedRows } from "../../../components/paged-rows.tsx";
import { formatDate, formatMoment } from "../../../formats/dates.ts";
import type { AppealSubject } from "../../../safety/appeal-form.tsx";
import type { Schemas } from "../../../site/page-data.ts";
import type { Paged } from "../../../site/paged.tsx";
import { TEXTS } from "../../../texts/texts.ts";

type Ban = Schemas["OwnChatBan"];
type Appealing = { isAppealed: (one: AppealSubject) => boolean; onAppeal: (one: AppealSubject) => void };

/** Where the user can't chat, and until when. */
export function ChatBans({ pages, ...appealing }: { pages: Paged<Ban> } & Appealing) {
  const { standing } = TEXTS;
  return (
    <section class="box">
      <h2>{standing.chats}</h2>
      <PagedRows pages={pages} empty={standing.noChats}>
        {(ban) => <Row key={ban.id} ban={ban} {...appealing} />}
      </PagedRows>
    </section>
  );
}

function Row({ ban, isAppealed, onAppeal }: { ban: Ban } & Appealing) {
  const { standing } = TEXTS;
  const { id, streamer, reason, expires_at, is_by_staff, created_at } = ban;
  const subject = { subject_type: "chat_ban", subject_id: id } as const;
  const name = streamer ? nameOf(streamer) : standing.goneChannel;
  const extent =
    expires_at === null
      ? standing.banned(formatDate(created_at))
      : standing.timedOut(formatMoment(expires_at));
  return (
    <li>
      {streamer && <Avatar user={streamer} />}
      <div class="what">
        <ChannelLink channel={streamer} gone={standing.goneChannel} />
        {reason !== null && <span dir="auto">{reason}</span>}
        <span class="quiet">{extent}</span>
        <span class="quiet">{is_by_staff ? standing.byStaff : standing.byChannel}</span>
      </div>
      {is_by_staff &&
        (isAppealed(subject) ? (
          <span class="state">{standing.isAppealed}</span>
        ) : (
          <button
            type="button"
            class="button quiet"
            aria-label={standing.appealOfChat(name)}
            onClick={() => onAppeal(subject)}
          >
            {standing.appeal}
          </button>
        ))}
    </li>
  );
}
