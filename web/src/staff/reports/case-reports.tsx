import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../console/panel.tsx";
import { More, usePaged } from "../../site/paged.tsx";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { AccountLink } from "../account-link.tsx";
import { Age } from "../age.tsx";
import type { Case } from "./handle.ts";
import { Snapshot } from "./snapshot.tsx";
import { isSame } from "./target-panel.tsx";

/** Who reported it and in which words, newest first; with what the target showed then where that differs from the first time. */
export function CaseReports({ one }: { one: Case }) {
  const { frame, reports } = STAFF_TEXTS;
  const pages = usePaged("listCaseReports", { path: { report_id: one.id } });
  return (
    <Panel
      title={reports.reportsTitle}
      aside={<span class="quiet">{frame.reportsOf(one.report_count)}</span>}
    >
      <Loaded read={pages.first}>
        {() => (
          <ul class="rows">
            {pages.items.map(({ id, reporter, reason_code, details, created_at, snapshot }) => (
              <li key={id}>
                <div class="what">
                  <span>
                    <b>{TEXTS.report.reasons[reason_code]}</b> ·{" "}
                    {reporter ? <AccountLink user={reporter} /> : reports.anonymous}{" "}
                    <span class="quiet">
                      <Age of={created_at} />
                    </span>
                  </span>
                  {details === null || details === "" ? (
                    <span class="quiet">{reports.noDetails}</span>
                  ) : (
                    <p class="lines" dir="auto">
                      {details}
                    </p>
                  )}
                  {snapshot && !(one.snapshot && isSame(snapshot, one.snapshot)) && (
                    <details>
                      <summary>{reports.changedSince}</summary>
                      <Snapshot of={snapshot} type={one.target_type} />
                    </details>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <More pages={pages} />
    </Panel>
  );
}
