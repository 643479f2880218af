import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

type Focused = { target: Element; row: HTMLElement | null; list: Element | null; place: number };

/**
 * Where what has the focus is removed, the focus goes to its row. If that is removed, as by its own button, the focus goes to the row in
 * its place, else to the panel: whoever presses keys goes on from there. In a log it goes to the log: rows come and go by themselves, and
 * a key must not act on one that nobody chose.
 */
export function useKeptFocus(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    let last: Focused | null = null;
    const focused = ({ target }: FocusEvent): void => {
      if (!(target instanceof Element)) return;
      const row = target.closest("li");
      const list = row?.parentElement ?? null;
      last = { target, row, list, place: list && row ? [...list.children].indexOf(row) : 0 };
    };
    const removals = new MutationObserver((changes) => {
      const gone = last;
      if (!gone || gone.target.isConnected || document.activeElement !== document.body) return;
      if (!changes.some(({ removedNodes }) => removedNodes.length > 0)) return;
      last = null;
      const next = nextOf(gone) ?? element;
      if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
      next.focus({ preventScroll: true });
    });
    element.addEventListener("focusin", focused);
    removals.observe(element, { childList: true, subtree: true });
    return () => {
      element.removeEventListener("focusin", focused);
      removals.disconnect();
    };
  }, []);
}

function nextOf({ row, list, place }: Focused): HTMLElement | null {
  if (row?.isConnected) return row;
  if (!list?.isConnected) return null;
  const log = list.closest<HTMLElement>("[role=log]");
  if (log) return log;
  const next = list.children[Math.min(place, list.children.length - 1)];
  return next instanceof HTMLElement ? next : null;
}
