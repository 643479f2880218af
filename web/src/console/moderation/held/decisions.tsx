import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import type { Decision } from "./held-messages.ts";

type Props = { decisions: readonly Decision[]; onUndo: (decision: Decision) => void };

/** What this page has decided, newest first; an approval can be taken back. */
export function Decisions({ decisions, onUndo }: Props) {
  const texts = CONSOLE_TEXTS.moderation.held;
  if (decisions.length === 0) return null;
  return (
    <>
      <h3>{texts.decisions}</h3>
      <ul class="rows decisions">
        {decisions.map((decision) => {
          const { held, did, state } = decision;
          return (
            <li key={held.id}>
              <span class="what">
                <b dir="auto">{texts.decided[did](held.username)}</b>
                <span class="quiet" dir="auto">
                  {held.content}
                </span>
              </span>
              {state === "undone" && <span class="quiet">{texts.undone}</span>}
              {did === "approve" && state === "done" && (
                <button
                  type="button"
                  class="button quiet"
                  aria-label={texts.undoOf(held.username)}
                  onClick={() => onUndo(decision)}
                >
                  {texts.undo}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
