import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { site } from "./page-data.ts";

const RELOADED = "livecore-reloaded";
const NOT_FOUND = 404;
const ANSWER_MS = 10_000;

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

/** The code of the page failed. */
export function failed(err: unknown): void {
  fault.value = err;
  // For the console: nothing else says where it happened.
  reportError(err);
}

/** A script doesn't come, as after an upgrade of the service: loads the page again, once for each page that the reader goes to. */
export async function departed(err: unknown): Promise<void> {
  if (!navigator.onLine) return;
  if (sessionStorage.getItem(RELOADED) !== null) return reportError(err);
  const answer = await fetch(location.href, {
    method: "HEAD",
    cache: "no-store",
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => null);
  // Without the service, or while it is too busy, a reload would show less than there is.
  if (!answer || (!answer.ok && answer.status !== NOT_FOUND)) return;
  sessionStorage.setItem(RELOADED, "1");
  location.reload();
}

/** The document's title, with the instance's name behind it. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = title === "" ? site.name : `${title} · ${site.name}`;
  }, [title]);
}
