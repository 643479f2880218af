import { nameOf } from "../../components/avatar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../console/panel.tsx";
import { formatMoment } from "../../formats/dates.ts";
import type { Schemas } from "../../site/page-data.ts";
import { More, usePagedBy } from "../../site/paged.tsx";
import type { Me } from "../../site/session.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import type { Case } from "./handle.ts";

type Change = Schemas["ReportChange"];

/** How the case came to its state. */
export function CaseHistory({ one, user }: { one: Case; user: Me }) {
  const { reports } = STAFF_TEXTS;
  const pages = usePagedBy("getReportHistory", { path: { report_id: one.id } }, ({ version }) => version);
  const names = new Map(
    [user, one.claimed_by, one.decided_by, ...(one.reports ?? []).map(({ reporter }) => reporter)].flatMap(
      (known) => (known ? [[known.id, nameOf(known)] as const] : []),
    ),
  );
  const by = (change: Change) => (change.by === null ? undefined : names.get(change.by));
  const changes = pages.items.filter(({ from, to }) => from !== to);
  return (
    <Panel title={reports.history}>
      <Loaded read={pages.first}>
        {() => (
          <ol class="said">
            {changes.map((change) => (
              <li key={change.version}>
                <time class="quiet" dateTime={change.at}>
                  {formatMoment(change.at)}
                </time>{" "}
                {eventOf(change)}
                {by(change) !== undefined && (
                  <>
                    {" · "}
                    <bdi>{by(change)}</bdi>
                  </>
                )}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      <More pages={pages} />
    </Panel>
  );
}

function eventOf({ from, to }: Change): string {
  const { events } = STAFF_TEXTS.reports;
  return to === "open" && from !== null ? events.released : events[to];
}
