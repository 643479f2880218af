import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useRowKeys } from "../components/row-keys.ts";

type QueueKeys<Item> = {
  list: RefObject<HTMLUListElement | null>;
  /** The row that keys act on, which alone is reached by Tab. */
  current: Item | undefined;
  setCurrent(id: string): void;
  /** The focus goes to the row in the place of this one, once it is gone. */
  leave(id: string): void;
  onKeyDown(event: KeyboardEvent): void;
};

/**
 * A queue that is worked through by keys: they move from row to row, and each of `acts` takes the row that has the focus. Rows have their
 * id as `data-id`. `isPaused`: a dialog has the keys.
 */
export function useQueueKeys<Item extends { id: string }>(
  items: readonly Item[],
  acts: Readonly<Record<string, (item: Item) => void>>,
  isPaused: boolean,
): QueueKeys<Item> {
  const list = useRef<HTMLUListElement>(null);
  const left = useRef<{ id: string; place: number } | null>(null);
  const { currentId, setCurrent, moveTo, step } = useRowKeys(list);
  const current = items.find(({ id }) => id === currentId) ?? items[0];
  const ids = items.map(({ id }) => id);

  // Once the dialog has given the focus back, and the list was read again.
  useLayoutEffect(() => {
    const gone = left.current;
    if (!gone || isPaused || ids.includes(gone.id)) return;
    left.current = null;
    const next = ids[Math.max(0, Math.min(gone.place, ids.length - 1))];
    if (next !== undefined) moveTo(next);
  }, [items, isPaused]);

  return {
    list,
    current,
    setCurrent,
    leave(id) {
      left.current = { id, place: ids.indexOf(id) };
    },
    onKeyDown(event) {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isPlain || isPaused || !current || step(event, ids)) return;
      // Enter on a link or button inside a row is that one's.
      const isOfRow = event.target instanceof HTMLElement && event.target.dataset.id !== undefined;
      const act = event.key === "Enter" && !isOfRow ? undefined : acts[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act(current);
    },
  };
}
