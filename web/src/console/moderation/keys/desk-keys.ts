import type { RefObject } from "preact";
import { createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";

/** What keys of the whole desk do, by key. */
type Acts = Readonly<Record<string, () => void>>;

/** Where letters are typed, and buttons beside that: whoever sends by a button types on. */
const FIELDS = "input, textarea, select, [contenteditable], dialog, form, .composer";
/** Has the focus after a page was opened from another. */
const PAGE = "main";

export const DeskElement = createContext<RefObject<HTMLElement | null>>({ current: null });

/**
 * Keys that count wherever the focus is on the desk, or nowhere, but for forms and dialogs. Panels come first with theirs. Elsewhere on the
 * page they don't count, so that they are in nobody's way.
 */
export function useDeskKeys(acts: Acts): void {
  const element = useContext(DeskElement);
  const newest = useRef(acts);
  newest.current = acts;
  useEffect(() => {
    const counts = (target: EventTarget | null): boolean => {
      if (!(target instanceof Element) || document.querySelector("dialog:modal")) return false;
      if (target === document.body || target.id === PAGE) return true;
      return (element.current?.contains(target) ?? false) && target.closest(FIELDS) === null;
    };
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const { key } = event;
      if (!counts(event.target) || !Object.hasOwn(newest.current, key)) return;
      event.preventDefault();
      newest.current[key]?.();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}
