import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Loaded } from "../../../components/loaded.tsx";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { Decisions } from "./decisions.tsx";
import { type Action, type Held, useHeldMessages } from "./held-messages.ts";
import { HeldRow } from "./held-row.tsx";

const STEPS: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
const ACTIONS: Readonly<Record<string, Action>> = { a: "approve", d: "deny", t: "timeout" };

/** Messages that wait for a moderator, oldest first, decided by mouse or by keys alone. */
export function HeldPanel({ streamId }: { streamId: string }) {
  const texts = CONSOLE_TEXTS.moderation.held;
  const { read, known, left, decisions, decide, undo } = useHeldMessages(streamId);
  const [currentId, setCurrent] = useState<string | null>(null);
  const panel = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  /** The row that gets the focus once it is there; undefined: the focus stays where it is. */
  const wanted = useRef<string | null | undefined>(undefined);
  // One that somebody else decided while it was the current one stays: the key that was meant for it must not hit the next.
  const shown = known.filter(({ id, resolution }) => resolution === null || id === currentId);
  const current = shown.find(({ id }) => id === currentId) ?? shown[0];

  const moveTo = (id: string | null): void => {
    wanted.current = id;
    setCurrent(id);
  };
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(wanted.current ?? "")}"]`);
    (row ?? panel.current)?.focus();
    wanted.current = undefined;
  });

  const after = (held: Held): string | null => {
    const at = shown.findIndex(({ id }) => id === held.id);
    return (shown[at + 1] ?? shown[at - 1])?.id ?? null;
  };
  const act = (held: Held, action: Action): void => {
    moveTo(after(held));
    decide(held, action);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [step, action] = [STEPS[event.key], ACTIONS[event.key]];
    const approved = decisions.find(({ action, state }) => action === "approve" && state === "done");
    if (event.key === "u" && approved) undo(approved);
    else if (step !== undefined && current) {
      const at = shown.indexOf(current) + step;
      moveTo(shown[Math.max(0, Math.min(at, shown.length - 1))]?.id ?? null);
    } else if (action !== undefined && current) {
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
                <ul ref={list} class="requests">
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
