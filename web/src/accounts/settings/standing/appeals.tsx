import { Loaded } from "../../../components/loaded.tsx";
import { formatDate } from "../../../formats/dates.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { More, type Pages } from "../../../site/pages.tsx";
import { TEXTS } from "../../../texts/texts.ts";

/** The user's appeals, and what staff answered. */
export function Appeals({ pages }: { pages: Pages<Schemas["Appeal"]> }) {
  const { standing } = TEXTS;
  const { items } = pages;
  return (
    <section class="box">
      <h2>{standing.appeals}</h2>
      <Loaded read={pages.first}>
        {() =>
          items.length === 0 ? (
            <p class="quiet">{standing.noAppeals}</p>
          ) : (
            <ul class="rows" aria-live="polite">
              {items.map(({ id, subject_type, message, status, note, created_at }) => (
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
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </section>
  );
}
