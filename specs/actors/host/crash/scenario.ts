import type { Actors } from "../../../../actors/actors.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import { createTimerSweeper } from "../../../../jobs/host/timers/sweeper.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import type { Paying } from "../../monetization/payments/paying.ts";
import { againWhenOverloaded } from "../when-overloaded.ts";
import type { World } from "../world.ts";

/** All services of a process that requests can call. */
export type Services = Actors & { paying: Paying };

/** The initial state of a run; its process gets it as JSON. */
export type Stage = {
  stream: { _id: string; userId: string };
  viewers: string[];
  /** Null: it is opened during the run. */
  predictionId: string | null;
  /** Only for raids. */
  target?: { _id: string; userId: string };
};

export const VIEWER_POINTS = 1_000;

/** How a request may be retried when its answer was lost. */
type Repeat =
  /** Idempotent by its key, with the same answer. */
  | "same answer"
  /** Retrying is harmless. */
  | "harmless"
  /** It may or may not have happened. */
  | "never";

export type Ask = {
  name: string;
  repeat: Repeat;
  /** For bets that will be accepted. */
  stake?: { userId: string; amount: number };
  run(actors: Services, stream: StreamDoc): Promise<unknown>;
};

/** Steps run one after the other; the requests of one step run concurrently. */
export type Step = { phase: string; asks?: Ask[]; passMs?: number; relay?: true };

export type Scenario = {
  name: string;
  /** Makes the stage; `actors` belong to a process that isn't killed. */
  prepare(actors: Services, world: World): Promise<Stage>;
  steps(stage: Stage): Step[];
};

/** Those of one machine: `specs/actors/<context>/<machine>/crash-scenarios.ts` exports them. */
export type CrashScenarios = {
  scenarios: readonly Scenario[];
  /** Ends what they leave open in the channel. */
  finish?(actors: Services, stream: StreamDoc): Promise<void>;
};

/** The answer or the refusal, as JSON, as the caller got it. */
export async function answerTo(ask: Ask, actors: Services, stream: StreamDoc): Promise<string> {
  try {
    return JSON.stringify({ ok: await againWhenOverloaded(() => ask.run(actors, stream)) });
  } catch (err) {
    if (!(err instanceof ServiceError) || err.code === "unavailable") throw err;
    return JSON.stringify({ refused: err.code, details: err.details });
  }
}

/** A step for each request, in sequence. */
export const asking = (...asks: Ask[]): Step[] => asks.map((ask) => ({ phase: ask.name, asks: [ask] }));

/** Advances the time while a stage is made. */
export async function later({ host }: Services, world: World, ms: number): Promise<void> {
  world.move(ms);
  await createTimerSweeper({ ...world.deps, host }).tick();
  await host.idle();
}
