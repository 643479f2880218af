import type { Actors } from "../../../actors/actors.ts";
import { createTimerSweeper } from "../../../jobs/timers/sweeper.ts";
import type { StreamDoc } from "../../../store/mongo/streams.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Paying } from "../paying.ts";
import type { World } from "../world.ts";

/** What a process can be asked. */
export type Asked = Actors & { paying: Paying };

/** What a run begins with; its process gets it as JSON. */
export type Stage = {
  stream: { _id: string; userId: string };
  viewers: string[];
  /** Null = it is opened in the run. */
  predictionId: string | null;
  /** Of a raid. */
  target?: { _id: string; userId: string };
};

export const VIEWER_POINTS = 1_000;

/** How a request may be asked again when its answer was never heard. */
type Repeat =
  /** The key makes it one, with the same answer. */
  | "same answer"
  /** Asking again is harmless by itself. */
  | "harmless"
  /** It may or may not have happened. */
  | "never";

export type Ask = {
  name: string;
  repeat: Repeat;
  /** For bets that will be accepted. */
  stake?: { userId: string; amount: number };
  run(actors: Asked, stream: StreamDoc): Promise<unknown>;
};

/** One thing after the other; the asks of one step are asked at once. */
export type Step = { phase: string; asks?: Ask[]; passMs?: number; relay?: true };

export type Scenario = {
  name: string;
  /** Makes the stage; `actors` are those of a process that won't be killed. */
  prepare(actors: Asked, world: World): Promise<Stage>;
  steps(stage: Stage): Step[];
};

/** The answer or the refusal, as JSON, as the caller got it. */
export async function answerTo(ask: Ask, actors: Asked, stream: StreamDoc): Promise<string> {
  try {
    return JSON.stringify({ ok: await ask.run(actors, stream) });
  } catch (err) {
    if (!(err instanceof ServiceError) || err.code === "unavailable") throw err;
    return JSON.stringify({ refused: err.code, details: err.details });
  }
}

/** One after the other. */
export const asking = (...asks: Ask[]): Step[] => asks.map((ask) => ({ phase: ask.name, asks: [ask] }));

/** Time goes by while a stage is made. */
export async function later({ host }: Asked, world: World, ms: number): Promise<void> {
  world.move(ms);
  await createTimerSweeper({ ...world.deps, host }).tick();
  await host.idle();
}
