import { useRef } from "preact/hooks";
import { Loaded } from "../../../components/loaded.tsx";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { rowBeside, useRowKeys } from "../../row-keys.ts";
import { useDesk } from "../desk.ts";
import { Decisions } from "./decisions.tsx";
import { type Action, type Held, useHeldMessages } from "./held-messages.ts";
import { HeldRow } from "./held-row.tsx";

const ACTIONS: Readonly<Record<string, Action>> = { a: "approve", d: "deny", t: "timeout" };

/** Messages that wait for a moderator, oldest first, decided by mouse or by keys alone. */
export function HeldPanel({ streamId }: { streamId: string }) {
  const texts = CONSOLE_TEXTS.moderation.held;
  const { read, known, left, decisions, decide, undo } = useHeldMessages(streamId);
  const panel = useRef<HTMLElement>(null);
  const { openCard } = useDesk();
  const { currentId, setCurrent, moveTo, step } = useRowKeys(panel);
  // One that somebody else decided while it was the current one stays: the key that was meant for it must not hit the next.
  const shown = known.filter(({ id, resolution }) => resolution === null || id === currentId);
  const current = shown.find(({ id }) => id === currentId) ?? shown[0];

  const ids = shown.map(({ id }) => id);
  const after = ({ id }: Held): string | null => rowBeside(id, ids);
  const act = (held: Held, action: Action): void => {
    moveTo(after(held));
    decide(held, action);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step(event, ids)) return;
    const action = ACTIONS[event.key];
    const approved = decisions.find(({ action, state }) => action === "approve" && state === "done");
    if (event.key === "u" && approved) undo(approved);
    else if (event.key === "i" && current) openCard({ id: current.user_id, username: current.username });
    else if (action !== undefined && current) {
      // A held key repeats; a decision is one press.
      if (event.repeat) return;
      if (current.resolution) moveTo(after(current));
      else act(current, action);
    } else return;
    event.preventDefault();
  };

  const waiting = known.filter(({ resolution }) => resolution === null).length + left;
  return (
    <section ref={panel} class="panel held" aria-label={texts.title} tabIndex={-1} onKeyDown={onKey}>
      <header>
        <h2>{texts.title}</h2>
        <span class="quiet" role="status">
          {waiting > 0 && texts.count(waiting)}
        </span>
      </header>
      <Loaded read={read}>
        {() => (
          <>
            {shown.length === 0 ? (
              <p class="quiet none">{texts.empty}</p>
            ) : (
              <>
                <p class="quiet keys">{texts.keys}</p>
                <ul class="requests">
                  {shown.map((held) => (
                    <HeldRow
                      key={held.id}
                      held={held}
                      isCurrent={held === current}
                      onFocus={() => setCurrent(held.id)}
                      onDecide={(action) => act(held, action)}
                      onNext={() => moveTo(after(held))}
                    />
                  ))}
                </ul>
                {left > 0 && <p class="quiet">{texts.more(left)}</p>}
              </>
            )}
            <Decisions decisions={decisions} onUndo={undo} />
          </>
        )}
      </Loaded>
    </section>
  );
}
