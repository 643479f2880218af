/**
 * A subscription's standing as a pure function of the set of facts and the time (event sourcing). A payment platform's reports
 * arrive at least once, late and in any order, so the order of arrival decides nothing.
 */
import Type from "typebox";
import { count, exactly, orNull } from "../../host/schemas.ts";
import { afterTimeout, applyFact, initialStanding } from "./apply-fact.ts";
import { type Fact, fact } from "./facts.ts";
import { changesAt, type Standing, standing } from "./standing.ts";

/** A base (the standing after older facts, at a time in Unix ms), and the facts since. */
export const record = { base: orNull(exactly({ at: count, standing })), facts: Type.Array(fact) };
type FactLog = { base: { at: number; standing: Standing } | null; facts: Fact[] };

/** The facts in the order in which they happened. Facts dated before the first payment come right after it. */
function ordered({ base, facts }: FactLog): Fact[] {
  const first =
    base?.at ?? Math.min(...facts.filter(({ type }) => type === "paid").map(({ happenedAt }) => happenedAt));
  const key = ({ happenedAt, type, id }: Fact) =>
    [Math.max(happenedAt, first), type === "paid" ? 0 : 1, id] as const;
  return facts
    .map((fact) => ({ fact, key: key(fact) }))
    .sort((a, b) => a.key[0] - b.key[0] || a.key[1] - b.key[1] || (a.key[2] < b.key[2] ? -1 : 1))
    .map(({ fact, key }) => ({ ...fact, happenedAt: key[0] }));
}

/** The standing at that time. Throws when there is no payment to begin with. */
export function standingAt(log: FactLog, now: number): Standing {
  return advanced(standingAfter(log.base?.standing ?? null, ordered(log)), now);
}

function standingAfter(base: Standing | null, facts: Fact[]): Standing {
  const after = facts.reduce<Standing | null>(
    (before, fact) => (before ? applyFact(advanced(before, fact.happenedAt), fact) : initialStanding(fact)),
    base,
  );
  if (!after) throw new Error("a subscription begins with a payment");
  return after;
}

/**
 * The last 65 to 128 facts are kept; older ones are compacted into the base. A fact from before the base that is reported later
 * counts as if it had happened right after it.
 */
const MAX_FACTS = 128;

/** Adds a fact; idempotent by its id. */
export function withFact(log: FactLog, fact: Fact): FactLog {
  if (log.facts.some(({ id }) => id === fact.id)) return log;
  const facts = [...log.facts, fact];
  if (facts.length <= MAX_FACTS) return { base: log.base, facts };
  const all = ordered({ base: log.base, facts });
  const old = all.slice(0, MAX_FACTS / 2);
  const at = old.at(-1)?.happenedAt ?? 0;
  return {
    base: { at, standing: standingAfter(log.base?.standing ?? null, old) },
    facts: all.slice(MAX_FACTS / 2),
  };
}

/** Applies all changes by time alone that are due until `now`. */
function advanced(standing: Standing, now: number): Standing {
  let current = standing;
  for (let due = changesAt(current); due !== null && due <= now; due = changesAt(current)) {
    current = afterTimeout(current);
  }
  return current;
}
