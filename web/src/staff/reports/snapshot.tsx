import type { Schemas } from "../../site/page-data.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";

/** What a profile, channel or clip shows, at some time. */
export function Snapshot({ of: { title, text, tags, image_url } }: { of: Schemas["TargetSnapshot"] }) {
  const { reports } = STAFF_TEXTS;
  return (
    <div class="snapshot">
      {image_url !== null && <img src={image_url} alt="" width="64" height="64" loading="lazy" />}
      <p>
        <b dir="auto">{title ?? reports.noTitle}</b>
      </p>
      {text !== null && text !== "" && (
        <p class="lines" dir="auto">
          {text}
        </p>
      )}
      {tags.length > 0 && (
        <ul class="tags">
          {tags.map((tag) => (
            <li key={tag} dir="auto">
              {tag}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
