import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../console/panel.tsx";
import { publicAddress, type Schemas, to } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
import { serverNow } from "../../site/service-clock.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { accountPath } from "../sections.ts";
import type { Case } from "./handle.ts";
import { Snapshot } from "./snapshot.tsx";

type Shown = Schemas["TargetSnapshot"];

/** The target as it was when it was reported, beside what it shows now. */
export function TargetPanel({ one }: { one: Case }) {
  const { reports } = STAFF_TEXTS;
  const { target_type, target_id, subject } = one;
  return (
    <Panel
      title={reports.target}
      kind="whole"
      aside={
        <div class="links">
          {target_type === "clip" && <a href={to(`/clips/${target_id}`)}>{reports.clipPage}</a>}
          {subject && target_type !== "clip" && <a href={to(subject.username)}>{reports.channel}</a>}
          {subject && <a href={to(accountPath(subject.id))}>{reports.account}</a>}
        </div>
      }
    >
      {target_type === "chat_message" ? (
        <blockquote dir="auto">{one.content ?? reports.removedText}</blockquote>
      ) : (
        <div class="versions">
          <section>
            <h3>{reports.whenReported}</h3>
            {one.snapshot ? (
              <Snapshot of={one.snapshot} type={target_type} />
            ) : (
              <p class="quiet">{reports.notKept}</p>
            )}
          </section>
          <section>
            <h3>{reports.now}</h3>
            <Now type={target_type} id={target_id} subject={subject}>
              {(now) =>
                one.snapshot && isSame(one.snapshot, now) ? (
                  <p class="quiet">{hasForeignPicture(now) ? reports.unchangedText : reports.unchanged}</p>
                ) : (
                  <Snapshot of={now} type={target_type} />
                )
              }
            </Now>
          </section>
        </div>
      )}
    </Panel>
  );
}

type NowProps = { id: string; subject: Case["subject"]; children: (now: Shown) => ComponentChildren };

function Now({ type, ...props }: NowProps & { type: "user" | "stream" | "clip" }) {
  if (type === "user") return <UserNow {...props} />;
  return type === "stream" ? <StreamNow {...props} /> : <ClipNow {...props} />;
}

const NOT_FOUND = 404;

const Gone = () => <p class="quiet">{STAFF_TEXTS.reports.gone}</p>;

function UserNow({ id, children }: NowProps) {
  const read = useRead("getUser", { path: { account_id: id } });
  return (
    <Loaded read={read} missing={<Gone />}>
      {({ username_title: title, bio: text, image_url, banner_url, social_links, seo_tags }) =>
        children({ title, text, tags: [], image_url, banner_url, social_links, seo_tags })
      }
    </Loaded>
  );
}

function StreamNow({ id, subject, children }: NowProps) {
  const read = useRead("getStream", { path: { stream_id: id } });
  const [query] = useState(planned);
  const schedule = useRead("listSchedule", subject && { path: { username: subject.username }, query });
  // Of a banned account it is hidden.
  const isHidden = subject === null || schedule.status === NOT_FOUND;
  return (
    <Loaded read={read} missing={<Gone />}>
      {({ name: title, tags, thumbnail_url: image_url }) => {
        const shown = (text: string | null) => children({ ...WITHOUT_PROFILE, title, text, tags, image_url });
        if (isHidden) return shown(null);
        return <Loaded read={schedule}>{(entries) => shown(textOf(entries))}</Loaded>;
      }}
    </Loaded>
  );
}

/** As much as reports keep. */
const PLANNED_MS = 92 * 86_400_000;
const MOST_PLANNED = 100;

/** What is planned from now on. */
function planned() {
  const from = serverNow();
  const to = from + PLANNED_MS;
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), per_page: MOST_PLANNED };
}

/** The titles, as reports keep them; with a mark of what isn't there, so that it never counts as the same. */
function textOf({ items, has_more }: { items: { title: string }[]; has_more: boolean }): string | null {
  const titles = [...new Set(items.map(({ title }) => title))].sort();
  return titles.length === 0 ? null : [...titles, ...(has_more ? ["…"] : [])].join("\n");
}

function ClipNow({ id, children }: NowProps) {
  const read = useRead("getClip", { path: { clip_id: id } });
  return (
    <Loaded read={read} missing={<Gone />}>
      {({ title, description: text }) => children({ title, text, tags: [], ...WITHOUT_PROFILE })}
    </Loaded>
  );
}

/** What streams and clips have none of; a stream has a picture. */
const WITHOUT_PROFILE = { image_url: null, banner_url: null, social_links: {}, seo_tags: {} };

export const isSame = (one: Shown, other: Shown): boolean =>
  one.title === other.title &&
  (one.text ?? "") === (other.text ?? "") &&
  one.image_url === other.image_url &&
  one.banner_url === other.banner_url &&
  one.tags.join("\n") === other.tags.join("\n") &&
  written(one.social_links) === written(other.social_links) &&
  written(one.seo_tags) === written(other.seo_tags);

/** The same for the same fields, in whatever order they come. */
const written = (fields: object): string => JSON.stringify(Object.entries(fields).sort());

/** Whether a picture is somewhere else, where it may be another by now at the same address. Our own never change. */
const hasForeignPicture = ({ image_url, banner_url }: Shown): boolean =>
  [image_url, banner_url].some((url) => url !== null && !url.startsWith(publicAddress("/files/")));
