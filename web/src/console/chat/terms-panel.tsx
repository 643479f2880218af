import { useEffect, useState } from "preact/hooks";
import { useOneAtATime } from "../../components/one-at-a-time.ts";
import { PagedRows } from "../../components/paged-rows.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { usePaged } from "../../site/paged.tsx";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Panel } from "../panel.tsx";
import { useRoomTopic } from "../room-topic.ts";
import { ACTIONS } from "./actions.ts";
import { NewTerm } from "./new-term.tsx";

type Term = Schemas["ChatBlockedTerm"];

/** A room's blocked terms, and what adds, changes and deletes them. */
export function TermsPanel({ streamId }: { streamId: string }) {
  const texts = TEXTS.consoleChat;
  const path = { stream_id: streamId };
  const pages = usePaged("listBlockedTerms", { path });
  const [changed, setChanged] = useState<ReadonlyMap<number, Term | null>>(new Map());
  const note = (key: number, term: Term | null): void =>
    setChanged((before) => new Map([...before, [key, term]]));
  const { isBusy, run } = useOneAtATime();
  // Another moderator may have changed them.
  useRoomTopic(streamId, (room) => [room.on("mod.terms", () => pages.first.again())]);
  // What was read again is newer than what this page has changed before.
  useEffect(() => setChanged(new Map()), [pages.first.data]);
  const attempt = (act: () => Promise<unknown>): void =>
    void run(async () => {
      try {
        await act();
      } catch (err) {
        say(problemOf(err), { isProblem: true });
      }
    });
  const listed = pages.items.flatMap((term) => {
    const now = changed.get(term.id);
    return now === null ? [] : [now ?? term];
  });
  const added = [...changed.values()].filter(
    (term) => term !== null && !pages.items.some(({ id: known }) => known === term.id),
  ) as Term[];
  return (
    <Panel title={texts.terms}>
      <p class="quiet">{texts.termsHint}</p>
      <NewTerm streamId={streamId} onAdded={(term) => note(term.id, term)} />
      <PagedRows pages={{ ...pages, items: [...added, ...listed] }} empty={texts.noTerms}>
        {(term) => (
          <li key={term.id}>
            <span class="what">
              <bdi>{term.term}</bdi>
              {term.is_regex && <span class="quiet">{texts.regex}</span>}
            </span>
            <select
              aria-label={texts.actionOf(term.term)}
              value={term.action}
              onChange={({ currentTarget }) => {
                const action = ACTIONS.find((one) => one === currentTarget.value) ?? term.action;
                currentTarget.value = term.action;
                attempt(async () => {
                  const at = { ...path, term_id: term.id };
                  note(term.id, await client.call("updateBlockedTerm", { path: at, body: { action } }));
                });
              }}
            >
              {ACTIONS.map((one) => (
                <option key={one} value={one}>
                  {texts.actions[one]}
                </option>
              ))}
            </select>
            <button
              type="button"
              class="button quiet"
              aria-disabled={isBusy}
              aria-label={texts.removeOf(term.term)}
              onClick={() =>
                attempt(async () => {
                  await client.call("deleteBlockedTerm", { path: { ...path, term_id: term.id } });
                  note(term.id, null);
                })
              }
            >
              {texts.remove}
            </button>
          </li>
        )}
      </PagedRows>
    </Panel>
  );
}
