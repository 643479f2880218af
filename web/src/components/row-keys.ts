import type { RefObject } from "preact";
import { useState } from "preact/hooks";

const STEPS: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

type RowKeys = {
  /** The row that keys act on, which alone is reached by Tab; null before one was chosen. */
  currentId: string | null;
  setCurrent(id: string): void;
  /** Gives the focus to a row; null: to the panel. */
  moveTo(id: string | null): void;
  /** Moves by a key of the list. Returns whether it is one. */
  step(event: KeyboardEvent, ids: readonly string[]): boolean;
};

/** A list whose rows (`data-id`) are moved through by keys: ↓ or j, ↑ or k. */
export function useRowKeys(panel: RefObject<HTMLElement | null>): RowKeys {
  const [currentId, setCurrent] = useState<string | null>(null);
  const moveTo = (id: string | null): void => {
    const row = panel.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id ?? "")}"]`);
    setCurrent(id);
    (row ?? panel.current)?.focus();
  };
  return {
    currentId,
    setCurrent,
    moveTo,
    step(event, ids) {
      const step = STEPS[event.key];
      if (step === undefined || ids.length === 0) return false;
      event.preventDefault();
      const at = Math.max(0, currentId === null ? 0 : ids.indexOf(currentId));
      moveTo(ids[Math.max(0, Math.min(at + step, ids.length - 1))] ?? null);
      return true;
    },
  };
}

/** Whose turn it is once a row is gone: the next one, else the one before. */
export const rowBeside = (id: string, ids: readonly string[]): string | null => {
  const at = ids.indexOf(id);
  return ids[at + 1] ?? ids[at - 1] ?? null;
};
