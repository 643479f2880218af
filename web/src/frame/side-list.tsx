import { open } from "../channels/broadcast.ts";
import { followed } from "../channels/followed.ts";
import { Avatar, nameOf } from "../components/avatar.tsx";
import { formatCount } from "../formats/numbers.ts";
import { to } from "../site/page-data.ts";
import { me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";

/**
 * The channels that the reader follows: live ones by viewers, then the others, as the service lists them. On a narrow screen the home page
 * has those that are live.
 */
export function SideList() {
  const { frame, viewers, player } = TEXTS;
  // Its place is kept where somebody is probably signed in: the page would jump when that is known.
  if (me.value === null) return null;
  const streams = (followed.value ?? []).map((stream) => ({ ...stream, ...openBroadcast(stream.id) }));
  return (
    <nav class="side-list" aria-label={frame.followed}>
      <h2>{frame.followed}</h2>
      {followed.value !== null && streams.length === 0 && <p class="quiet">{frame.noFollowed}</p>}
      <ul>
        {streams.map(({ id, user, category, is_live, realtime_viewer_count: count }) => (
          <li key={id}>
            <a href={to(user.username)} data-live={is_live}>
              <Avatar user={user} />
              <span class="names">
                <bdi title={nameOf(user)}>{nameOf(user)}</bdi>
                {is_live && category && <span class="quiet">{category.name}</span>}
              </span>
              {is_live ? (
                <span class="viewers">
                  <span class="aloud">{`${player.live}, ${viewers(count)}`}</span>
                  <span aria-hidden="true">{formatCount(count)}</span>
                </span>
              ) : (
                <span class="quiet">{frame.notLive}</span>
              )}
            </a>
          </li>
        ))}
      </ul>
      <a href={to("/following")}>{frame.all}</a>
    </nav>
  );
}

/** What the open page knows of its channel: the list is up to a minute older. */
function openBroadcast(streamId: string) {
  if (open.value?.streamId !== streamId) return null;
  const { isLive, viewers } = open.value;
  return { is_live: isLive.value, realtime_viewer_count: viewers.value };
}
