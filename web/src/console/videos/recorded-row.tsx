import { formatClock } from "../../formats/clock.ts";
import { formatMoment } from "../../formats/dates.ts";
import { type Schemas, to } from "../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";

type Props = {
  recorded: Pick<Schemas["Video"], "title" | "visibility" | "is_mature"> & {
    picture: string | null;
    seconds: number;
    views: number;
    at: string;
    /** Who made a clip; null for videos, and where the account is gone. */
    by: string | null;
  };
  path: `/${string}`;
  onEdit: () => void;
  onRemove: () => void;
};

/** A video or a clip as its channel's owner sees it. */
export function RecordedRow({ recorded, path, onEdit, onRemove }: Props) {
  const texts = CONSOLE_TEXTS.videos;
  const { title, picture, seconds, views, visibility, at, by } = recorded;
  return (
    <li class="recorded">
      {picture === null ? (
        <span class="picture" aria-hidden="true" />
      ) : (
        <img class="picture" src={picture} alt="" loading="lazy" />
      )}
      <div class="what">
        <a href={to(path)} dir="auto">
          {title}
        </a>
        <span class="quiet">
          {formatClock(seconds * 1_000)} · {TEXTS.videos.views(views)} ·{" "}
          <time dateTime={at}>{formatMoment(at)}</time>
        </span>
        {by !== null && (
          <span class="quiet" dir="auto">
            {texts.by(by)}
          </span>
        )}
        <span>
          {texts.visibilities[visibility]}
          {recorded.is_mature && ` · ${texts.mature}`}
        </span>
      </div>
      <div class="actions">
        <button type="button" class="button quiet" aria-label={texts.editOf(title)} onClick={onEdit}>
          {texts.edit}
        </button>
        <button type="button" class="button quiet" aria-label={texts.removeOf(title)} onClick={onRemove}>
          {texts.remove}
        </button>
      </div>
    </li>
  );
}
