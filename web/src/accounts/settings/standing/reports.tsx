import { PagedRows } from "../../../components/paged-rows.tsx";
import { formatDate } from "../../../formats/dates.ts";
import type { Schemas } from "../../../site/page-data.ts";
import type { Paged } from "../../../site/paged.tsx";
import { TEXTS } from "../../../texts/texts.ts";

/** What the user has reported, and what came of it. */
export function Reports({ pages }: { pages: Paged<Schemas["Report"]> }) {
  const { standing, report } = TEXTS;
  return (
    <section class="box">
      <h2>{standing.reports}</h2>
      <p>{standing.reportsHint}</p>
      <PagedRows pages={pages} empty={standing.noReports} isLive>
        {({ id, target_type, reason_code, details, status, created_at }) => (
          <li key={id}>
            <div class="what">
              <b>{`${standing.targets[target_type]} · ${report.reasons[reason_code]}`}</b>
              {details !== null && (
                <span class="said" dir="auto">
                  {details}
                </span>
              )}
              <span class="quiet">{standing.reported(formatDate(created_at))}</span>
            </div>
            <span class="state" data-state={status}>
              {standing.reportStates[status]}
            </span>
          </li>
        )}
      </PagedRows>
    </section>
  );
}
