import { PagedRows } from "../../../components/paged-rows.tsx";
import { formatDate } from "../../../formats/dates.ts";
import type { Schemas } from "../../../site/page-data.ts";
import type { Paged } from "../../../site/paged.tsx";
import { TEXTS } from "../../../texts/texts.ts";

/** The user's appeals, and what staff answered. */
export function Appeals({ pages }: { pages: Paged<Schemas["Appeal"]> }) {
  const { standing } = TEXTS;
  return (
    <section class="box">
      <h2>{standing.appeals}</h2>
      <PagedRows pages={pages} empty={standing.noAppeals} isLive>
        {({ id, subject_type, message, status, note, created_at }) => (
          <li key={id}>
            <div class="what">
              <b>{standing.subjects[subject_type]}</b>
              <span class="said" dir="auto">
                {message}
              </span>
              <span class="quiet">{standing.appealed(formatDate(created_at))}</span>
              {note !== null && note !== "" && (
                <div class="answer">
                  <span class="quiet">{standing.answer}</span>
                  <blockquote dir="auto">{note}</blockquote>
                </div>
              )}
            </div>
            <span class="state" data-state={status}>
              {standing.appealStates[status]}
            </span>
          </li>
        )}
      </PagedRows>
    </section>
  );
}
