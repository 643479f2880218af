import { Avatar } from "../components/avatar.tsx";
import { formatTime } from "../formats/days.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

/** While a channel is offline: whom it hosts, when it was live last, and when it will be next. */
export function Elsewhere({ known, isLive }: { known: Schemas["Channel"]; isLive: boolean }) {
  const { hosting, broadcast, next_broadcast: next } = known;
  const { schedule } = TEXTS;
  if (isLive || (!hosting && !broadcast && !next)) return null;
  const host = hosting?.target_user;
  const target = host && { ...host, username_title: null, image_url: host.avatar_url ?? null };
  return (
    <section class="elsewhere">
      {target && (
        <p>
          <a class="person" href={to(target.username)}>
            <Avatar user={target} />
            <bdi>{schedule.hosting(target.username)}</bdi>
          </a>
        </p>
      )}
      {next && (
        <p>
          {schedule.next(formatTime(next.starts_at))} · <span dir="auto">{next.title}</span>
        </p>
      )}
      {broadcast && <p class="quiet">{schedule.last(formatTime(broadcast.started_at))}</p>}
    </section>
  );
}
