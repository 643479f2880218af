import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { site } from "./page-data.ts";

const RELOADED = "livecore-reloaded";

/** Paths below the site's that the service answers with documents of their own. */
const OTHERS = ["docs", "about", "files", "assets", "embed", "v1", "demo", "edge", "mail"];
const escaped = site.root.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
/** Paths of the site's own pages. */
export const SITE_PATHS = new RegExp(`^${escaped}(?!(?:${OTHERS.join("|")})(?:/|$))`);

/** A page whose code failed; null while all is well. */
export const fault = signal<unknown>(null);

/** Moves the reader's focus to the new page, whose title a screen reader says. */
export function arrived(): void {
  fault.value = null;
  sessionStorage.removeItem(RELOADED);
  document.getElementById("main")?.focus({ preventScroll: true });
}

/** A page's script couldn't be loaded, as after an upgrade of the service, or it failed. */
export function departed(err: unknown): void {
  const isMissing = err instanceof TypeError && /import/i.test(err.message);
  // Without a network a reload would show the browser's own page.
  if (isMissing && navigator.onLine && sessionStorage.getItem(RELOADED) === null) {
    sessionStorage.setItem(RELOADED, "1");
    location.reload();
    return;
  }
  fault.value = err;
  // For the console: nothing else says where it happened.
  reportError(err);
}

/** The document's title, with the instance's name behind it. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = title === "" ? site.name : `${title} · ${site.name}`;
  }, [title]);
}
