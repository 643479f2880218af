import { FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import {
  RAID_ARRIVAL_MS,
  RAID_COUNTDOWN_MS,
  RAID_HOLD_MS,
  type RaidDoc,
} from "../../../../store/mongo/raids/raids.ts";
import {
  type Ask,
  asking,
  type CrashScenarios,
  later,
  type Services,
  type Stage,
} from "../../host/crash/scenario.ts";
import type { World } from "../../host/world.ts";

const MEMBERS = Array.from({ length: 5 }, newId);

const begin = (target: Stage["target"]): Ask => ({
  name: "begin",
  repeat: "harmless",
  async run({ raids }, source) {
    if (!target) throw new ServiceError("not_found");
    return raids.begin({ source, target, message: null, by: source.userId });
  },
});

/** A retry is refused. */
const ofRaid = (name: string, ask: (actors: Services, raid: RaidDoc) => Promise<unknown>): Ask => ({
  name,
  repeat: "harmless",
  run: async (actors, stream) => ask(actors, await openFrom(actors, stream._id)),
});
const start = ofRaid("start", ({ raids }, { _id, sourceUserId }) => raids.start(_id, sourceUserId));
const cancel = ofRaid("cancel", ({ raids }, { _id, sourceUserId }) => raids.cancel(_id, sourceUserId));
/** Its raids get a message. */
const targetEnds = ofRaid("target ends", ({ broadcasts }, raid) =>
  broadcasts.ownerBanned(raid.targetStreamId),
);

async function openFrom({ raids }: Services, streamId: string): Promise<RaidDoc> {
  const raid = await raids.openFrom(streamId);
  if (!raid) throw new ServiceError("not_found");
  return raid;
}

export const raidCrashes: CrashScenarios = {
  scenarios: [
    {
      name: "a raid begins",
      prepare: twoLive,
      steps: ({ target }) => asking(begin(target)),
    },
    { name: "a raid is started", prepare: pending, steps: () => asking(start) },
    { name: "a raid is cancelled", prepare: pending, steps: () => asking(cancel) },
    { name: "a raid's target ends", prepare: pending, steps: () => asking(targetEnds) },
    {
      name: "a raid goes by time",
      prepare: pending,
      steps: () => [{ phase: "end of the countdown", passMs: RAID_COUNTDOWN_MS }],
    },
    {
      name: "a raid arrives",
      prepare: arriving,
      steps: () => [{ phase: "end of the arrival", passMs: RAID_ARRIVAL_MS }],
    },
  ],
};

async function twoLive(actors: Services, world: World): Promise<Stage> {
  const [source, target] = [await world.stream(), await world.stream()];
  for (const stream of [source, target]) await actors.broadcasts.publish({ stream, clientId: "obs" });
  await later(actors, world, FIRST_PICTURE_MS);
  const { _id, userId } = source;
  return {
    stream: { _id, userId },
    target: { _id: target._id, userId: target.userId },
    viewers: [],
    predictionId: null,
  };
}

/** A pending raid that may be started. */
async function pending(actors: Services, world: World): Promise<Stage> {
  const stage = await twoLive(actors, world);
  const { stream: source, target } = stage;
  if (!target) throw new Error("a raid has a target");
  const { _id } = await actors.raids.begin({ source, target, message: null, by: source.userId });
  await actors.raids.membersCame(_id, MEMBERS, "worker");
  await later(actors, world, RAID_HOLD_MS);
  return stage;
}

async function arriving(actors: Services, world: World): Promise<Stage> {
  const stage = await pending(actors, world);
  const { _id } = await openFrom(actors, stage.stream._id);
  await later(actors, world, RAID_COUNTDOWN_MS);
  await actors.raids.membersArrived(_id, MEMBERS);
  return stage;
}
