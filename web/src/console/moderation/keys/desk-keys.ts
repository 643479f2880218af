import type { RefObject } from "preact";
import { createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";

/** What keys of the whole desk do, by key. */
type Acts = Readonly<Record<string, () => void>>;

const FIELDS = "input, textarea, select, [contenteditable], dialog";

export const DeskElement = createContext<RefObject<HTMLElement | null>>({ current: null });

/**
 * Keys that count wherever the focus is on the desk, but for fields and dialogs. Panels come first with theirs. Elsewhere on the page they
 * don't count, so that they are in nobody's way.
 */
export function useDeskKeys(acts: Acts): void {
  const element = useContext(DeskElement);
  const newest = useRef(acts);
  newest.current = acts;
  useEffect(() => {
    const desk = element.current;
    if (!desk) return;
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (event.target instanceof Element && event.target.closest(FIELDS)) return;
      const { key } = event;
      if (!Object.hasOwn(newest.current, key)) return;
      event.preventDefault();
      newest.current[key]?.();
    };
    desk.addEventListener("keydown", pressed);
    return () => desk.removeEventListener("keydown", pressed);
  }, []);
}
