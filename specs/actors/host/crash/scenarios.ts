import { createHost } from "../../../../actors/host/host.ts";
import { BROADCAST_GRACE_MS, FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { predictionDefinition } from "../../../../actors/points/prediction/definition.ts";
import { CLAIM_MS } from "../../../../actors/safety/report/machine.ts";
import { ServiceError, unavailable } from "../../../../contract/errors.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { CRASH_SCENARIOS } from "../../generated/crash-scenarios.ts";
import type { World } from "../world.ts";
import {
  actOn,
  BETTING_MS,
  bets,
  cancel,
  claim,
  dismiss,
  lock,
  open,
  publish,
  publishDone,
  report,
  resolve,
} from "./asks.ts";
import { decideAll, offered, queued, redeemAll, remove } from "./reward-asks.ts";
import { asking, later, type Scenario, type Services, type Stage, VIEWER_POINTS } from "./scenario.ts";

const FEW = 5;
/** Needs two commits to be settled. */
const MANY = 1_100;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "open and bet",
    prepare: (_actors, world) => empty(world, FEW),
    steps: (stage) => [...asking(open), { phase: "bets", asks: bets(stage) }],
  },
  { name: "lock", prepare: staked, steps: () => asking(lock) },
  { name: "resolve and pay", prepare: staked, steps: () => asking(resolve) },
  { name: "cancel and refund", prepare: staked, steps: () => asking(cancel) },
  {
    name: "lock by time",
    prepare: staked,
    steps: () => [{ phase: "time to lock", passMs: BETTING_MS }],
  },
  {
    name: "payout taken over",
    prepare: abandonedPayout,
    steps: () => [{ phase: "time to take over", passMs: 1_000 }],
  },
  {
    name: "rows taken over",
    prepare: unpublished,
    steps: () => [{ phase: "relay", passMs: 2_000, relay: true }],
  },
  {
    name: "redeem",
    prepare: (actors, world) => offered(actors, world, FEW),
    steps: (stage) => [{ phase: "redemptions", asks: redeemAll(stage) }],
  },
  {
    name: "fulfil and refund",
    prepare: (actors, world) => queued(actors, world, FEW),
    steps: (stage) => [{ phase: "decisions", asks: decideAll(stage) }],
  },
  {
    name: "delete a reward and refund",
    prepare: (actors, world) => queued(actors, world, FEW),
    steps: () => asking(remove),
  },
  {
    name: "go live",
    prepare: (_actors, world) => empty(world, 0),
    steps: () => [...asking(publish), { phase: "time to the first picture", passMs: FIRST_PICTURE_MS }],
  },
  {
    name: "end",
    prepare: live,
    steps: () => [...asking(publishDone), { phase: "end of the grace", passMs: BROADCAST_GRACE_MS }],
  },

  {
    name: "report and claim",
    prepare: (_actors, world) => empty(world, 0),
    steps: () => asking(report, claim),
  },
  { name: "act on a report", prepare: reviewing, steps: () => asking(actOn) },
  { name: "dismiss a report", prepare: reviewing, steps: () => asking(dismiss) },
  {
    name: "a claim's end",
    prepare: reviewing,
    steps: () => [{ phase: "end of the claim", passMs: CLAIM_MS }],
  },
  ...CRASH_SCENARIOS.flatMap(({ scenarios }) => scenarios),
];

/** Too slow to run with every change. */
export const LONG_SCENARIOS: readonly Scenario[] = [
  {
    name: "resolve and pay in two commits",
    prepare: (actors, world) => staked(actors, world, MANY),
    steps: () => asking(resolve),
  },
  {
    name: "cancel and refund in two commits",
    prepare: (actors, world) => staked(actors, world, MANY),
    steps: () => asking(cancel),
  },
];

async function empty(world: World, viewers: number): Promise<Stage> {
  const { _id, userId } = await world.stream();
  const stream = { _id, userId };
  const users =
    viewers > 0 ? await world.viewers(await streamOf(world, { stream }), viewers, VIEWER_POINTS) : [];
  return { stream, viewers: users, predictionId: null };
}

async function streamOf(world: World, { stream }: Pick<Stage, "stream">) {
  const doc = await streamsIn(world.mongo.db).find(stream._id);
  if (!doc) throw new Error("a stage has a stream");
  return doc;
}

/** A stage with an open prediction on which everybody has bet. */
async function staked(actors: Services, world: World, viewers = FEW): Promise<Stage> {
  const stage = await empty(world, viewers);
  const stream = await streamOf(world, stage);
  await open.run(actors, stream);
  await Promise.all(bets(stage).map((ask) => ask.run(actors, stream).catch(expectRefusal)));
  await actors.host.idle();
  return { ...stage, predictionId: (await actors.predictions.openOf(stream._id))?._id ?? null };
}

function expectRefusal(err: unknown): void {
  if (!(err instanceof ServiceError) || err.code !== "insufficient_points") throw err;
}

/** A prediction that was resolved by a process that died before the first batch. */
async function abandonedPayout(actors: Services, world: World): Promise<Stage> {
  const stage = await staked(actors, world);
  const definition = predictionDefinition(world.mongo.db);
  const dying = createHost({
    ...world.deps,
    outbox: actors.outbox,
    machines: [definition],
    continueSettling: false,
  });
  const id = stage.predictionId ?? "";
  const outcomeId = (await actors.predictions.require(id)).outcomes[0]?.id ?? "";
  await dying.ask(definition, id, { type: "resolve", outcomeId }, { by: stage.stream.userId });
  await dying.stop();
  return stage;
}

/** A stage whose events were never published, since Redis was unavailable. */
async function unpublished(actors: Services, world: World): Promise<Stage> {
  const away = () => Promise.reject(unavailable());
  const silent = { ...actors, ...world.rival({ publishRoom: away, publishUsers: away }) };
  const stage = await staked(silent, world);
  await lock.run(silent, await streamOf(world, stage));
  await silent.stop();
  return stage;
}

async function live(actors: Services, world: World): Promise<Stage> {
  const stage = await empty(world, 0);
  await publish.run(actors, await streamOf(world, stage));
  await later(actors, world, FIRST_PICTURE_MS);
  return stage;
}

/** A report that was claimed by staff. */
async function reviewing(actors: Services, world: World): Promise<Stage> {
  const stage = await empty(world, 0);
  const stream = await streamOf(world, stage);
  await report.run(actors, stream);
  await claim.run(actors, stream);
  return stage;
}
