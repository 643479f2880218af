import type { OperationId } from "../../support/api.ts";
import { REQUESTS } from "../generated/requests.ts";

/** One record of the entries of all. Throws when two have the same: one of them would silently not count. */
export function merged<Entry>(parts: readonly Readonly<Record<string, Entry>>[]): Record<string, Entry> {
  const all: Record<string, Entry> = {};
  for (const [name, entry] of parts.flatMap((part) => Object.entries(part))) {
    if (name in all) throw new Error(`two resources have ${name} in their requests`);
    all[name] = entry;
  }
  return all;
}

/** Operations that end sessions or change how their account signs in. */
export const ENDS_SESSION: ReadonlySet<OperationId> = new Set(
  REQUESTS.flatMap(({ endsSession = [] }) => endsSession),
);

/** What they name is there for the next caller as well: each acts for themselves. */
export const FOR_EACH: ReadonlySet<OperationId> = new Set(REQUESTS.flatMap(({ forEach = [] }) => forEach));

/** By operation: where ownership decides more than x-access says. */
export const EXCEPTIONS = merged(REQUESTS.map(({ expected = {} }) => expected));

/** By operation: where a text that somebody without a role in the channel may send is shown. */
export const SHOWN = merged(REQUESTS.map(({ shown = {} }) => shown));

/** By operation: answers that say more than x-visibility. */
export const VISIBILITY = merged(REQUESTS.map(({ visibility = {} }) => visibility));

/** By field of a query or body that names something: its request, or why no rule is for it. */
export const FIELDS = merged(REQUESTS.map(({ fields = {} }) => fields));
