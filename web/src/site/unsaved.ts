import { signal } from "@preact/signals";
import { useId, useLayoutEffect, useState } from "preact/hooks";
import { SITE_PATHS } from "./navigation.ts";
import { whenUserLeaves } from "./session.ts";

/** Forms with changes that aren't saved. */
const forms = new Set<string>();
/** The page that they are on. */
let page = "";

/** Where the reader wants to go from changes that aren't saved: an address, or null for back or forward in the history. */
export const wanted = signal<{ href: string | null } | null>(null);

/**
 * Asks before the reader leaves the page with other `values` than at first, or than at the last call of what it returns.
 * `LeaveDialog` has to be on that page.
 */
export function useUnsaved(values: string | readonly string[]): () => void {
  const form = useId();
  const now = JSON.stringify(values);
  const [saved, setSaved] = useState(now);
  const isChanged = now !== saved;
  useLayoutEffect(() => {
    if (!isChanged) return;
    forms.add(form);
    page = pageOf(location);
    addEventListener("beforeunload", prevent);
    return () => {
      forms.delete(form);
      if (forms.size === 0) discard();
    };
  }, [isChanged]);
  return () => setSaved(now);
}

/** Whether the page may be left for another one of the site. If not, the reader is asked. */
export function mayLeave(href: string): boolean {
  if (forms.size > 0) wanted.value = { href };
  return forms.size === 0;
}

/** The changes are given up. */
export function discard(): void {
  forms.clear();
  removeEventListener("beforeunload", prevent);
  wanted.value = null;
}
// Otherwise a page that is loaded again for another user would ask on and on.
whenUserLeaves(discard);

const prevent = (event: Event): void => event.preventDefault();
const pageOf = ({ pathname, search }: { pathname: string; search: string }): string => pathname + search;

addEventListener(
  "click",
  (event) => {
    if (forms.size === 0) return;
    const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement);
    if (!link || !isFollowedByRouter(event, link) || pageOf(link) === page || mayLeave(pageOf(link))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  { capture: true },
);
// The router's own listener comes later, and isn't reached: browsers call those of windows in their order.
addEventListener("popstate", (event) => {
  if (forms.size === 0 || pageOf(location) === page) return;
  event.stopImmediatePropagation();
  history.pushState(null, "", page);
  wanted.value = { href: null };
});

/** Others leave the document, before which the browser asks, or open another window. */
const isFollowedByRouter = (event: MouseEvent, link: HTMLAnchorElement): boolean =>
  event.button === 0 &&
  !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) &&
  link.origin === location.origin &&
  SITE_PATHS.test(link.pathname) &&
  /^(?:_?self)?$/i.test(link.target) &&
  !link.download;
