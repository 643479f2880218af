import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { useOneAtATime } from "../../components/one-at-a-time.ts";
import type { Schemas } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Panel } from "../panel.tsx";
import { NewTerm } from "./new-term.tsx";
import { TermRow } from "./term-row.tsx";
import { useTerms } from "./use-terms.ts";

type Term = Schemas["ChatBlockedTerm"];

/** So many more rows are shown with each press. */
const STEP = 50;

/** A room's blocked terms, and what adds, changes and deletes them. */
export function TermsPanel({ streamId }: { streamId: string }) {
  const texts = CONSOLE_TEXTS.chat;
  const terms = useTerms(streamId);
  const [most, setMost] = useState(STEP);
  const { isBusy, run } = useOneAtATime();
  const attempt = (act: () => Promise<unknown>): void =>
    void run(async () => {
      try {
        await act();
      } catch (err) {
        say(problemOf(err), { isProblem: true });
      }
    });
  const pathOf = ({ id }: Term) => ({ stream_id: streamId, term_id: id });
  const changed = (term: Term): void =>
    terms.change((all) => all.map((one) => (one.id === term.id ? term : one)));
  return (
    <Panel title={texts.terms}>
      <p class="quiet">{texts.termsHint}</p>
      <NewTerm
        streamId={streamId}
        onAdded={(term) => terms.change((all) => [term, ...all.filter(({ id }) => id !== term.id)])}
      />
      <Loaded read={terms}>
        {(all) =>
          all.length === 0 ? (
            <p>{texts.noTerms}</p>
          ) : (
            <>
              <ul class="rows">
                {all.slice(0, most).map((term) => (
                  <TermRow
                    key={term.id}
                    term={term}
                    isBusy={isBusy}
                    onAction={(action) =>
                      attempt(async () =>
                        changed(
                          await client.call("updateBlockedTerm", { path: pathOf(term), body: { action } }),
                        ),
                      )
                    }
                    onRemove={() =>
                      attempt(async () => {
                        await client.call("deleteBlockedTerm", { path: pathOf(term) });
                        terms.change((now) => now.filter(({ id }) => id !== term.id));
                      })
                    }
                  />
                ))}
              </ul>
              {all.length > most && (
                <button type="button" class="button quiet" onClick={() => setMost((now) => now + STEP)}>
                  {TEXTS.more}
                </button>
              )}
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
