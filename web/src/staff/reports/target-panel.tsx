import type { ComponentChildren } from "preact";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../console/panel.tsx";
import { type Schemas, to } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
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
            {one.snapshot ? <Snapshot of={one.snapshot} /> : <p class="quiet">{reports.notKept}</p>}
          </section>
          <section>
            <h3>{reports.now}</h3>
            <Now type={target_type} id={target_id}>
              {(now) =>
                one.snapshot && isSame(one.snapshot, now) ? (
                  <p class="quiet">{reports.unchanged}</p>
                ) : (
                  <Snapshot of={now} />
                )
              }
            </Now>
          </section>
        </div>
      )}
    </Panel>
  );
}

type NowProps = { id: string; children: (now: Shown) => ComponentChildren };

function Now({ type, ...props }: NowProps & { type: "user" | "stream" | "clip" }) {
  if (type === "user") return <UserNow {...props} />;
  return type === "stream" ? <StreamNow {...props} /> : <ClipNow {...props} />;
}

const Gone = () => <p class="quiet">{STAFF_TEXTS.reports.gone}</p>;

function UserNow({ id, children }: NowProps) {
  const read = useRead("getUser", { path: { account_id: id } });
  return (
    <Loaded read={read} missing={<Gone />}>
      {({ username_title: title, bio: text, image_url }) => children({ title, text, tags: [], image_url })}
    </Loaded>
  );
}

function StreamNow({ id, children }: NowProps) {
  const read = useRead("getStream", { path: { stream_id: id } });
  return (
    <Loaded read={read} missing={<Gone />}>
      {({ name: title, tags }) => children({ title, text: null, tags, image_url: null })}
    </Loaded>
  );
}

function ClipNow({ id, children }: NowProps) {
  const read = useRead("getClip", { path: { clip_id: id } });
  return (
    <Loaded read={read} missing={<Gone />}>
      {({ title, description: text }) => children({ title, text, tags: [], image_url: null })}
    </Loaded>
  );
}

export const isSame = (one: Shown, other: Shown): boolean =>
  one.title === other.title &&
  (one.text ?? "") === (other.text ?? "") &&
  one.image_url === other.image_url &&
  one.tags.join("\n") === other.tags.join("\n");
