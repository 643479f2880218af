import { hueOf } from "../formats/hue.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";
import { Avatar, nameOf } from "./avatar.tsx";

type Card = Schemas["StreamCard"];

/** A channel in a list: its picture, title, name, category and viewers. */
function StreamCard({ stream }: { stream: Card }) {
  const { user, category, name, is_live, tags = [], recommended_for } = stream;
  return (
    <li class="stream-card">
      <a href={to(user.username)}>
        <Picture stream={stream} />
        <div class="about">
          <Avatar user={user} />
          <div>
            <p class="title" dir="auto" title={name}>
              {name}
            </p>
            <p dir="auto" title={nameOf(user)}>
              {nameOf(user)}
            </p>
            {category && (
              <p class="quiet" title={category.name}>
                {category.name}
              </p>
            )}
            {recommended_for && <p class="quiet reason">{TEXTS.reasons[recommended_for]}</p>}
          </div>
        </div>
      </a>
      {is_live && tags.length > 0 && (
        <ul class="tags">
          {tags.map((tag) => (
            <li key={tag} dir="auto">
              {tag}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Picture({ stream }: { stream: Card }) {
  const { user, thumbnail_url, is_live, is_mature, realtime_viewer_count: viewers } = stream;
  return (
    <div class="picture" style={{ "--hue": hueOf(user.username) }}>
      {thumbnail_url === null ? (
        <span aria-hidden="true">{[...nameOf(user)][0]?.toUpperCase()}</span>
      ) : (
        <img src={thumbnail_url} alt="" loading="lazy" width="320" height="180" />
      )}
      {is_live && <span class="badge live">{TEXTS.player.live}</span>}
      {is_live && <span class="badge viewers">{TEXTS.viewers(viewers)}</span>}
      {is_mature && <span class="badge mature">{TEXTS.mature.badge}</span>}
    </div>
  );
}

/** Cards in as many columns as there is room for. */
export function StreamGrid({ streams }: { streams: readonly Card[] }) {
  return (
    <ul class="grid">
      {streams.map((stream) => (
        <StreamCard key={stream.id} stream={stream} />
      ))}
    </ul>
  );
}

/** As many grey cards as will come, about. */
export function GridSkeleton({ count = 8 }: { count?: number }) {
  return (
    <div class="grid" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        <div key={index} class="stream-card">
          <div class="picture skeleton" />
          <div class="line-of skeleton" />
          <div class="line-of short skeleton" />
        </div>
      ))}
    </div>
  );
}
