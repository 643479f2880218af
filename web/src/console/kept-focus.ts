import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/**
 * Where what has the focus is removed, as a row whose button deletes it, the focus goes to the row in its place, else to the panel:
 * whoever presses keys goes on from there.
 */
export function useKeptFocus(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    let last: { target: Node; list: Element | null; place: number } | null = null;
    const focused = ({ target }: FocusEvent): void => {
      if (!(target instanceof Element)) return;
      const row = target.closest("li");
      const list = row?.parentElement ?? null;
      last = { target, list, place: list && row ? [...list.children].indexOf(row) : 0 };
    };
    const removals = new MutationObserver((changes) => {
      const gone = last;
      if (!gone || gone.target.isConnected || document.activeElement !== document.body) return;
      if (!changes.some(({ removedNodes }) => removedNodes.length > 0)) return;
      last = null;
      const rows = gone.list?.isConnected ? gone.list.children : [];
      const row = rows[Math.min(gone.place, rows.length - 1)];
      const next = row instanceof HTMLElement ? row : element;
      next.tabIndex = -1;
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
