import { setTimeout as pause } from "node:timers/promises";
import { newId } from "../../../../base/ids.ts";
import type { Person } from "../../../support/given-channels.ts";

/** Pause between a refusal and the retry. */
const AGAIN_MS = 50;
/** A request that is refused for this long counts as lost. */
const GIVES_UP_MS = 60_000;
/** An impatient client retries after this with the same key, while the first request is still pending. */
const MAX_WAIT_MS = 800;
/** Stakes differ, so that each can be identified, and are small, so that many fit into the limit. */
const STAKES = 97;

/** The rate limit is 600 requests a minute; at this pace gaps in the answers still show. */
const EVERY_MS = 125;

/** What a client saw of the service: its acknowledged bets and the other answers. */
export type Seen = {
  /** performance.now() of each acknowledged bet. */
  at: number[];
  /** By user: the stakes that were acknowledged, in order. */
  stakes: Map<string, number[]>;
  /** Answers other than a bet, by status; 0 = the connection broke. */
  refusals: Map<number, number>;
  /** Requests that an impatient client didn't wait for. */
  abandoned: number;
  slowestMs: number;
};

type Bettor = {
  person: Person;
  predictionId: string;
  outcomeId: string;
  isImpatient: boolean;
  seen: Seen;
};

export const nothingSeen = (): Seen => ({
  at: [],
  stakes: new Map(),
  refusals: new Map(),
  abandoned: 0,
  slowestMs: 0,
});

/** Bets by REST until `isOver`, one after the other; a bet that isn't accepted is sent again with its key. */
export async function keepBetting(bettor: Bettor, isOver: () => boolean): Promise<void> {
  const { person, seen } = bettor;
  const stakes: number[] = [];
  seen.stakes.set(person.id, stakes);
  for (let i = 0; !isOver(); i++) {
    const amount = 1 + (i % STAKES);
    await Promise.all([betOnce(bettor, amount), pause(EVERY_MS)]);
    stakes.push(amount);
  }
}

async function betOnce(bettor: Bettor, amount: number): Promise<void> {
  const { seen, isImpatient } = bettor;
  const key = newId();
  const begun = performance.now();
  while (performance.now() - begun < GIVES_UP_MS) {
    const sentAt = performance.now();
    const answer = place(bettor, amount, key);
    const status = isImpatient
      ? await Promise.race([answer, pause(MAX_WAIT_MS, "abandoned" as const)])
      : await answer;
    if (status === "abandoned") {
      seen.abandoned += 1;
      continue;
    }
    const answeredAt = performance.now();
    seen.slowestMs = Math.max(seen.slowestMs, answeredAt - sentAt);
    if (status === 200 || status === 201) {
      seen.at.push(answeredAt);
      return;
    }
    seen.refusals.set(status, (seen.refusals.get(status) ?? 0) + 1);
    await pause(AGAIN_MS);
  }
  throw new Error(`a bet of ${amount} found no answer in ${GIVES_UP_MS} ms`);
}

/** The status of the answer; 0: the connection broke. */
async function place(bettor: Bettor, amount: number, key: string): Promise<number> {
  const { person, predictionId, outcomeId } = bettor;
  try {
    const answer = await person.api.call("placeBet", {
      params: { prediction_id: predictionId },
      body: { outcome_id: outcomeId, amount },
      headers: { "idempotency-key": key },
    });
    return answer.status;
  } catch {
    // fetch throws when a connection breaks; it is counted like an answer.
    return 0;
  }
}

/** The longest time between two acknowledged bets, ms. */
export function longestGap({ at }: Seen, from: number): number {
  const since = at.filter((one) => one >= from);
  let before = at.filter((one) => one < from).at(-1) ?? from;
  let longest = 0;
  for (const one of since) {
    longest = Math.max(longest, one - before);
    before = one;
  }
  return longest;
}
