import { BROADCAST_GRACE_MS, FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { publish, publishDone } from "../../host/crash/asks.ts";
import {
  type Ask,
  asking,
  type CrashScenarios,
  later,
  type Scenario,
  type Services,
  type Stage,
  VIEWER_POINTS,
} from "../../host/crash/scenario.ts";
import type { World } from "../../host/world.ts";

const FEW = 5;
const VOTING_MS = 600_000;

const open: Ask = {
  name: "open a poll",
  repeat: "same answer",
  run: ({ polls }, stream) =>
    polls.open({
      stream,
      question: "Which boss next?",
      options: ["The old one", "The new one"],
      durationSeconds: VOTING_MS / 1_000,
      by: stream.userId,
      key: `poll:${stream._id}`,
    }),
};

/** On a retry it says what was counted. */
const vote = (userId: string, name: string, option: number): Ask => ({
  name,
  repeat: "harmless",
  async run({ polls }, stream) {
    const poll = await polls.openOf(stream._id);
    if (!poll) throw new ServiceError("not_found");
    return polls.vote(poll._id, poll.options[option]?.id ?? "", userId);
  },
});

/** All viewers at once, the first of them for both options. */
const votes = ({ viewers }: Stage): Ask[] => [
  ...viewers.map((userId, i) => vote(userId, `vote ${i}`, i % 3 === 0 ? 0 : 1)),
  ...viewers.slice(0, 1).map((userId) => vote(userId, "vote again", 1)),
];

const end: Ask = {
  name: "end a poll",
  repeat: "harmless",
  async run({ polls }, stream) {
    const poll = await polls.openOf(stream._id);
    if (!poll) throw new ServiceError("not_found");
    return polls.end(poll._id, stream.userId);
  },
};

const voted: Scenario["prepare"] = (actors, world) => openWithVotes(actors, world, { isLive: false });
const votedLive: Scenario["prepare"] = (actors, world) => openWithVotes(actors, world, { isLive: true });

export const pollCrashes: CrashScenarios = {
  scenarios: [
    {
      name: "open a poll and vote",
      prepare: (_actors, world) => audience(world),
      steps: (stage) => [...asking(open), { phase: "votes", asks: votes(stage) }],
    },
    { name: "a poll's end", prepare: voted, steps: () => asking(end) },
    {
      name: "a poll's end by time",
      prepare: voted,
      steps: () => [{ phase: "end of the voting", passMs: VOTING_MS }],
    },
    {
      name: "a poll's end with its broadcast",
      prepare: votedLive,
      steps: () => [...asking(publishDone), { phase: "end of the grace", passMs: BROADCAST_GRACE_MS }],
    },
  ],
  async finish({ polls }, stream) {
    const poll = await polls.openOf(stream._id);
    if (poll) await polls.end(poll._id, stream.userId);
  },
};

async function audience(world: World): Promise<Stage> {
  const stream = await world.stream();
  const { _id, userId } = stream;
  const viewers = await world.viewers(stream, FEW, VIEWER_POINTS);
  return { stream: { _id, userId }, viewers, predictionId: null };
}

/** An open poll with everybody's vote. */
async function openWithVotes(
  actors: Services,
  world: World,
  { isLive }: { isLive: boolean },
): Promise<Stage> {
  const stage = await audience(world);
  const stream = await streamsIn(world.mongo.db).find(stage.stream._id);
  if (!stream) throw new Error("a stage has a stream");
  if (isLive) {
    await publish.run(actors, stream);
    await later(actors, world, FIRST_PICTURE_MS);
  }
  await open.run(actors, stream);
  const once = votes(stage).slice(0, stage.viewers.length);
  await Promise.all(once.map((ask) => ask.run(actors, stream)));
  await actors.host.idle();
  return stage;
}
