import { Loaded } from "../../../components/loaded.tsx";
import { formatDate } from "../../../formats/dates.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { More, type Pages } from "../../../site/pages.tsx";
import { TEXTS } from "../../../texts/texts.ts";

/** What the user has reported, and what came of it. */
export function Reports({ pages }: { pages: Pages<Schemas["Report"]> }) {
  const { standing, report } = TEXTS;
  const { items } = pages;
  return (
    <section class="box">
      <h2>{standing.reports}</h2>
      <p>{standing.reportsHint}</p>
      <Loaded read={pages.first}>
        {() =>
          items.length === 0 ? (
            <p class="quiet">{standing.noReports}</p>
          ) : (
            <ul class="rows" aria-live="polite">
              {items.map(({ id, target_type, reason_code, details, status, created_at }) => (
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
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </section>
  );
}
