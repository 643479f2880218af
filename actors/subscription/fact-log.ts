/**
 * How a subscription stands after what happened to it: a pure function of the set of facts and the time. Reports of a
 * payment platform come twice, late and in any order, so nothing is decided by the order in which they came.
 */
import Type from "typebox";
import { count, exactly, orNull } from "../host/schemas.ts";
import { applyFact, begun, lapsed } from "./apply-fact.ts";
import { type Fact, fact } from "./facts.ts";
import { changesAt, type Standing, standing } from "./standing.ts";

/** Facts, on top of what older ones came to. */
export const record = { base: orNull(exactly({ at: count, standing })), facts: Type.Array(fact) };
type Kept = { base: { at: number; standing: Standing } | null; facts: Fact[] };

/** In the order in which they happened; what is told of the time before the first payment comes right after it. */
function ordered({ base, facts }: Kept): Fact[] {
  const first =
    base?.at ?? Math.min(...facts.filter(({ type }) => type === "paid").map(({ happenedAt }) => happenedAt));
  const key = ({ happenedAt, type, id }: Fact) =>
    [Math.max(happenedAt, first), type === "paid" ? 0 : 1, id] as const;
  return facts
    .map((fact) => ({ fact, key: key(fact) }))
    .sort((a, b) => a.key[0] - b.key[0] || a.key[1] - b.key[1] || (a.key[2] < b.key[2] ? -1 : 1))
    .map(({ fact, key }) => ({ ...fact, happenedAt: key[0] }));
}

/** How it stands at that time. Throws where there is no payment that it could have begun with. */
export function standingAt(kept: Kept, now: number): Standing {
  return advanced(stoodAfter(kept.base?.standing ?? null, ordered(kept)), now);
}

function stoodAfter(base: Standing | null, facts: Fact[]): Standing {
  const after = facts.reduce<Standing | null>(
    (before, fact) => (before ? applyFact(advanced(before, fact.happenedAt), fact) : begun(fact)),
    base,
  );
  if (!after) throw new Error("a subscription begins with a payment");
  return after;
}

/**
 * The last 65 to 128 facts are kept singly; older ones are summed up, and what is reported later than that counts as if it
 * had happened right after them.
 */
const MAX_FACTS = 128;

/** With one fact more; one that is known already changes nothing. */
export function withFact(kept: Kept, fact: Fact): Kept {
  if (kept.facts.some(({ id }) => id === fact.id)) return kept;
  const facts = [...kept.facts, fact];
  if (facts.length <= MAX_FACTS) return { base: kept.base, facts };
  const all = ordered({ base: kept.base, facts });
  const old = all.slice(0, MAX_FACTS / 2);
  const at = old.at(-1)?.happenedAt ?? 0;
  return {
    base: { at, standing: stoodAfter(kept.base?.standing ?? null, old) },
    facts: all.slice(MAX_FACTS / 2),
  };
}

/** What has happened by itself by then. */
function advanced(standing: Standing, now: number): Standing {
  let current = standing;
  for (let due = changesAt(current); due !== null && due <= now; due = changesAt(current)) {
    current = lapsed(current);
  }
  return current;
}
