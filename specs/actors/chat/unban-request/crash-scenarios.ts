import { UNBAN_REQUEST_EXPIRY_MS } from "../../../../actors/chat/unban-request/machine.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import {
  type Ask,
  asking,
  type CrashScenarios,
  type Services,
  type Stage,
  VIEWER_POINTS,
} from "../../host/crash/scenario.ts";
import type { World } from "../../host/world.ts";
import { bannedIn } from "./banned-in.ts";

const FEW = 3;

const request = (userId: string, name: string): Ask => ({
  name,
  repeat: "same answer",
  run: ({ unbanRequests }, stream) =>
    unbanRequests.request({ stream, message: "I won't do it again.", by: userId, key: `unban:${userId}` }),
});

const decide = (action: "approve" | "deny", by: string): Ask => ({
  name: `${action} an unban request`,
  repeat: "same answer",
  async run({ unbanRequests }, stream) {
    const { items } = await unbanRequests.page(stream._id, null, { skip: 0, limit: 1 });
    const [first] = items;
    if (!first) throw new ServiceError("not_found");
    return unbanRequests[action](first._id, { by, key: `unban:${action}:${by}`, note: "Be kind" });
  },
});

/** Each asks once, and again. */
const requests = ({ viewers }: Pick<Stage, "viewers">): Ask[] =>
  [...viewers, ...viewers].map((userId, i) => request(userId, `unban request ${i}`));

const firstRequest = ({ viewers }: Pick<Stage, "viewers">): Ask[] => requests({ viewers }).slice(0, 1);

export const unbanRequestCrashes: CrashScenarios = {
  scenarios: [
    {
      name: "ask to be unbanned, and be unbanned",
      prepare: (_actors, world) => banned(world),
      steps: (stage) => [
        { phase: "unban requests", asks: requests(stage) },
        ...asking(decide("approve", stage.stream.userId)),
      ],
    },
    {
      name: "two moderators who decide on one unban request",
      prepare: (_actors, world) => banned(world),
      steps: (stage) => [
        ...asking(...firstRequest(stage)),
        {
          phase: "decisions",
          asks: [decide("approve", stage.stream.userId), decide("deny", stage.viewers[1] ?? "")],
        },
      ],
    },
    {
      name: "an unban request that nobody decides on",
      prepare: (actors, world) => requested(actors, world),
      steps: () => [{ phase: "expiry", passMs: UNBAN_REQUEST_EXPIRY_MS }],
    },
  ],
};

/** A few banned users. */
async function banned(world: World): Promise<Stage> {
  const stream = await world.stream();
  const { _id, userId } = stream;
  const viewers = await world.viewers(stream, FEW, VIEWER_POINTS);
  for (const viewer of viewers) await bannedIn(world, _id, viewer);
  return { stream: { _id, userId }, viewers, predictionId: null };
}

/** The first of them has asked. */
async function requested(actors: Services, world: World): Promise<Stage> {
  const stage = await banned(world);
  const stream = await streamsIn(world.mongo.db).find(stage.stream._id);
  if (!stream) throw new Error("a stage has a stream");
  for (const ask of firstRequest(stage)) await ask.run(actors, stream);
  await actors.host.idle();
  return stage;
}
