import { useState } from "preact/hooks";
import type { Schemas } from "../../site/page-data.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import type { Case } from "./handle.ts";

type Props = { of: Schemas["TargetSnapshot"]; type: Case["target_type"] };

/** What a profile, channel or clip shows, at some time. */
export function Snapshot({ of, type }: Props) {
  const { reports } = STAFF_TEXTS;
  const { title, text, tags, image_url, banner_url, social_links, seo_tags } = of;
  return (
    <div class="snapshot">
      {image_url !== null && <Picture key={image_url} url={image_url} what={reports.picture} />}
      {banner_url !== null && <Picture key={banner_url} url={banner_url} what={reports.banner} />}
      <p>
        <b dir="auto">{title ?? reports.noTitle}</b>
      </p>
      {text !== null && type === "stream" && <p class="quiet">{reports.planned}</p>}
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
      <Fields title={reports.links} of={social_links} />
      <Fields title={reports.seoTags} of={seo_tags} />
    </div>
  );
}

/** A picture, which may have been replaced and removed since. */
function Picture({ url, what }: { url: string; what: string }) {
  const [isGone, setGone] = useState(false);
  if (isGone) return <p class="quiet">{STAFF_TEXTS.reports.pictureGone(what)}</p>;
  return <img src={url} alt={what} height="64" loading="lazy" onError={() => setGone(true)} />;
}

/** As text: what was reported isn't to be opened by a slip. */
function Fields({ title, of }: { title: string; of: object }) {
  const fields = Object.entries(of);
  if (fields.length === 0) return null;
  return (
    <>
      <p class="quiet">{title}</p>
      <dl>
        {fields.map(([name, value]: [string, unknown]) => (
          <Field key={name} name={name} value={value} />
        ))}
      </dl>
    </>
  );
}

const Field = ({ name, value }: { name: string; value: unknown }) => (
  <>
    <dt dir="auto">{name}</dt>
    <dd dir="auto">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
  </>
);
