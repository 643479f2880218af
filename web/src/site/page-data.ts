import type { components, Input, OperationId, Success } from "@livecore/client";

/** What the service wrote into every page. */
type SiteData = {
  /** The path of the front page, with a slash at its end. */
  root: string;
  /** PUBLIC_URL, where other sites lead back to; without a slash at its end. This browser may know the service by another address. */
  url: string;
  /** Of this instance. */
  name: string;
  /** Address of its logo; null without one. */
  logo: string | null;
  sign_up: "open" | "invitation" | "closed";
  /** Whether clips can be made here. */
  makes_clips: boolean;
  /** Whether subscriptions and tips can be paid for. */
  takes_payments: boolean;
  /** What the operator has written: below /about. */
  pages: ("rules" | "terms" | "privacy" | "imprint")[];
  /** Only while the service runs in development. */
  development?: {
    mailbox_url: string | null;
    evening: { status: "off" | "starting" | "live" | "failed"; username?: string } | null;
  };
};

type Answer = { operation: string; input: object; answer: unknown };

const text = document.getElementById("page-data")?.textContent;
if (!text) throw new Error("The page has no data.");
const parsed: { at: number; site: SiteData; answers: Answer[] } = JSON.parse(text);

/** Caches keep a page for half a minute, but browsers show it from theirs without asking, on the way back or when they restart. */
const OLD_MS = 60_000;
/** Whether the browser took the page from its own cache: nothing was transferred. Others are new, whatever this device's clock says. */
const isFromCache = performance
  .getEntriesByType("navigation")
  .some((entry) => entry instanceof PerformanceNavigationTiming && entry.transferSize === 0);

export const site: SiteData = parsed.site;

/** The first path of a page, below that of the service. */
export const to = (path: string): string => site.root + path.replace(/^\//, "");

/** The address of a page for others, who may know the service by another address than this browser does. */
export const publicAddress = (path: string): string => site.url + path;

/** Where this browser reaches the service. */
export const serviceUrl = location.origin + site.root.replace(/\/$/, "");

/**
 * The answer to a read that came with the page, once: later the page asks. It is what everybody gets, so it isn't for reads whose
 * answer depends on who asks, unless nobody is signed in. An old one is shown, and read again.
 */
export function takeAnswer<Op extends OperationId>(
  operation: Op,
  input: Input<Op>,
): { data: Success<Op>; isOld: boolean } | undefined {
  const key = keyOf(operation, input);
  const index = parsed.answers.findIndex((one) => keyOf(one.operation, one.input) === key);
  const [found] = index === -1 ? [] : parsed.answers.splice(index, 1);
  // The service made it by the same document from which the types are made.
  return (
    found && { data: found.answer as Success<Op>, isOld: isFromCache && Date.now() - parsed.at > OLD_MS }
  );
}

const keyOf = (operation: string, { path, query }: { path?: unknown; query?: unknown }): string =>
  JSON.stringify([operation, sorted(path), sorted(query)]);

/** Two sides that mean the same may name it in another order. */
const sorted = (parameters: unknown): unknown[] =>
  Object.entries(Object(parameters)).sort(([a], [b]) => (a < b ? -1 : 1));

export type Schemas = components["schemas"];
