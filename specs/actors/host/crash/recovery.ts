import { expect } from "chai";
import { BROADCAST_GRACE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { createOutboxSweep } from "../../../../jobs/host/outbox-relay/relay.ts";
import { createTimerSweeper } from "../../../../jobs/host/timers/sweeper.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import type { HookDoc } from "../../../../store/mongo/monetization/hooks.ts";
import { RAID_ARRIVAL_MS, RAID_COUNTDOWN_MS } from "../../../../store/mongo/raids/raids.ts";
import { CRASH_SCENARIOS } from "../../generated/crash-scenarios.ts";
import type { World } from "../world.ts";
import { publishDone, resolve } from "./asks.ts";
import { type Ask, answerTo, type Services, type Step } from "./scenario.ts";

/** Longer than a dead sweeper's lease, and than the time for which a row is left to the process that wrote it. */
const TAKEN_OVER_MS = 6_000;
const MAX_ROUNDS = 20;
/** Of each of a raid's two durations. */
const LONGEST_RAID_STEP_MS = Math.max(RAID_COUNTDOWN_MS, RAID_ARRIVAL_MS);

/** By user: points that were certainly staked, and those of bets whose outcome is unknown. */
export type Stakes = Map<string, { sure: number; maybe: number[] }>;

type Remains = {
  world: World;
  /** The actors of the surviving process. */
  actors: Services;
  stream: StreamDoc;
  steps: Step[];
  /** The dead process's answers, by the name of the request. */
  answers: Map<string, string>;
};

/** Recovers after a death: runs jobs until nothing is left, retries everything without an answer, and finishes the scenario. */
export async function recover({ world, actors, stream, steps, answers }: Remains): Promise<Stakes> {
  const sweeper = createTimerSweeper({ ...world.deps, host: actors.host });
  const relay = createOutboxSweep({ outbox: actors.outbox });
  const received = world.mongo.db.collection<HookDoc>("hooks");
  const stakes: Stakes = new Map();

  async function quiet(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      world.move(TAKEN_OVER_MS);
      await actors.paying.sweep();
      const done = (await sweeper.tick()) + (await relay.tick());
      await actors.host.idle();
      if (done === 0 && (await received.countDocuments({ state: "received" })) === 0) return;
    }
    throw new Error("timers and rows never come to an end");
  }

  await quiet();
  for (const ask of steps.flatMap((step) => step.asks ?? [])) {
    const answer = await again(ask, answers.get(ask.name) ?? null);
    note(stakes, ask, answer);
  }
  await quiet();
  await close();
  await quiet();
  return stakes;

  /** The valid answer; null when it can't be known. */
  async function again(ask: Ask, previous: string | null): Promise<string | null> {
    if (ask.repeat === "never" || (previous !== null && ask.repeat === "harmless")) return previous;
    const answer = await answerTo(ask, actors, stream);
    // Refusals aren't stored under a key: a retry is refused for the same reason.
    if (previous !== null) expect(reasonOf(answer), `${ask.name}, retried`).equal(reasonOf(previous));
    return answer;
  }

  async function close(): Promise<void> {
    for (const { finish } of CRASH_SCENARIOS) await finish?.(actors, stream);
    for (let rest = 2; rest > 0 && (await actors.raids.openFrom(stream._id)); rest--) {
      world.move(LONGEST_RAID_STEP_MS);
      await quiet();
    }
    if (await actors.predictions.openOf(stream._id)) await resolve.run(actors, stream);
    if (await actors.broadcasts.current(stream._id)) {
      await publishDone.run(actors, stream);
      world.move(BROADCAST_GRACE_MS);
    }
  }
}

const reasonOf = (answer: string) => (answer.startsWith('{"refused"') ? answer.split(",")[0] : answer);

function note(stakes: Stakes, { stake }: Ask, answer: string | null): void {
  if (!stake || answer?.startsWith('{"refused"')) return;
  const mine = stakes.get(stake.userId) ?? { sure: 0, maybe: [] };
  if (answer === null) mine.maybe.push(stake.amount);
  else mine.sure += stake.amount;
  stakes.set(stake.userId, mine);
}
