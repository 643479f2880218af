import { useLayoutEffect, useRef } from "preact/hooks";
import { Loaded } from "../../../components/loaded.tsx";
import { rowBeside, useRowKeys } from "../../../components/row-keys.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { useKeptFocus } from "../../kept-focus.ts";
import { withKept } from "../arrivals.ts";
import { useDesk } from "../desk.ts";
import { useInHand } from "../in-hand.ts";
import { Decisions } from "./decisions.tsx";
import { type Action, type Held, type Known, useHeldMessages } from "./held-messages.ts";
import { HeldRow } from "./held-row.tsx";

const GONE = { outcome: "gone" as const, by: null };
const ACTIONS: Readonly<Record<string, Action>> = { a: "approve", d: "deny", t: "timeout" };

/** Messages that wait for a moderator, oldest first, decided by mouse or by keys alone. */
export function HeldPanel({ streamId }: { streamId: string }) {
  const texts = CONSOLE_TEXTS.moderation.held;
  const { read, known, left, decisions, decide, undo } = useHeldMessages(streamId);
  const panel = useRef<HTMLElement>(null);
  const { openCard } = useDesk();
  const { currentId, setCurrent, moveTo, step } = useRowKeys(panel);
  useKeptFocus(panel);
  const { isPointedAt, hasFocus, handlers } = useInHand(panel);
  const before = useRef<readonly Known[]>([]);
  // What somebody else decided stays while it is in hand, and while the pointer is in the panel, where rows must not move: the key or the
  // press that was meant for it must not hit the next.
  const inHand = before.current.filter(({ id }) => isPointedAt || (hasFocus && id === currentId));
  const shown = withKept(known, inHand, {
    // Where there are more than were read, it may be among those.
    missing: (one) => ({ ...one, resolution: one.resolution ?? (left > 0 ? null : GONE) }),
    timeOf: ({ timestamp }) => timestamp,
  }).filter(({ id, resolution }) => resolution === null || inHand.some((one) => one.id === id));
  const current = shown.find(({ id }) => id === currentId) ?? shown[0];
  const ids = shown.map(({ id }) => id);
  useLayoutEffect(() => {
    before.current = shown;
    if (current && current.id !== currentId) setCurrent(current.id);
  });

  const after = ({ id }: Held): string | null => rowBeside(id, ids);
  const putAway = (held: Held): void => {
    before.current = shown.filter(({ id }) => id !== held.id);
    moveTo(after(held));
  };
  const act = (held: Held, action: Action): void => {
    putAway(held);
    decide(held, action);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step(event, ids)) return;
    // A held key repeats; a decision is one press.
    if (event.repeat) return;
    const action = ACTIONS[event.key];
    const approved = decisions.find(({ did, state }) => did === "approve" && state === "done");
    if (event.key === "u" && approved) undo(approved);
    else if (event.key === "i" && current) openCard({ id: current.user_id, username: current.username });
    else if (action !== undefined && current) {
      if (current.resolution) putAway(current);
      else act(current, action);
    } else return;
    event.preventDefault();
  };

  const waiting = known.filter(({ resolution }) => resolution === null).length + left;
  return (
    <section
      ref={panel}
      class="panel held"
      aria-label={texts.title}
      tabIndex={-1}
      onKeyDown={onKey}
      {...handlers}
    >
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
                      onNext={() => putAway(held)}
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
