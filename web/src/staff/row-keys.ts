import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const STEPS: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

type RowKeys<Item> = {
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
export function useRowKeys<Item extends { id: string }>(
  items: readonly Item[],
  acts: Readonly<Record<string, (item: Item) => void>>,
  isPaused: boolean,
): RowKeys<Item> {
  const [currentId, setCurrent] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const left = useRef<{ id: string; place: number } | null>(null);
  const current = items.find(({ id }) => id === currentId) ?? items[0];

  const focus = (place: number): void => {
    const target = items[Math.max(0, Math.min(place, items.length - 1))];
    if (!target) return;
    setCurrent(target.id);
    list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(target.id)}"]`)?.focus();
  };

  // Once the dialog has given the focus back, and the list was read again.
  useLayoutEffect(() => {
    const gone = left.current;
    if (!gone || isPaused || items.some(({ id }) => id === gone.id)) return;
    left.current = null;
    focus(gone.place);
  }, [items, isPaused]);

  return {
    list,
    current,
    setCurrent,
    leave(id) {
      left.current = { id, place: items.findIndex((one) => one.id === id) };
    },
    onKeyDown(event) {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isPlain || isPaused || !current) return;
      const step = STEPS[event.key];
      // Enter on a link or button inside a row is that one's.
      const isOfRow = event.target instanceof HTMLElement && event.target.dataset.id !== undefined;
      const act = event.key === "Enter" && !isOfRow ? undefined : acts[event.key];
      if (step === undefined && act === undefined) return;
      event.preventDefault();
      if (step !== undefined) focus(items.indexOf(current) + step);
      else act?.(current);
    },
  };
}
