import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import type { SnapshotDoc } from "../../../../store/mongo/host/snapshots.ts";
import { atOnce } from "../../../stress/at-once.ts";
import type { Figures } from "../../../stress/scenario.ts";
import { openWorld } from "../../host/world.ts";
import { expectExactEnd } from "./counted-votes.ts";

/**
 * Each of `votes` users votes once, `width` of them concurrently, alternating between two processes: few commits, and an
 * exact result.
 */
export async function runCrowdVotes({ votes, width }: { votes: number; width: number }): Promise<Figures> {
  const world = await openWorld();
  try {
    const rival = world.rival();
    const stream = await world.stream();
    const poll = await world.polls.open({
      question: "Which boss next?",
      options: ["The old one", "The new one"],
      durationSeconds: 1_800,
      stream,
      by: stream.userId,
    });
    const [old = "", other = ""] = poll.options.map(({ id }) => id);
    const begun = performance.now();
    await atOnce(width, [...Array(votes).keys()], (i) =>
      (i % 2 === 0 ? world : rival).polls.vote(poll._id, i % 4 === 0 ? old : other, newId()),
    );
    const seconds = (performance.now() - begun) / 1_000;
    const { poll: ended } = await world.polls.end(poll._id, stream.userId);
    await world.settled();
    await rival.host.idle();
    const forOld = Math.ceil(votes / 4);
    expect(ended.options.map((option) => option.votes)).deep.equal([forOld, votes - forOld]);
    await expectExactEnd(world.mongo.db, ended, votes, world);
    const { db } = world.mongo;
    const snapshot = await db.collection<SnapshotDoc>("snapshots").findOne({ _id: `poll:${poll._id}` });
    return { votes, perSecond: Math.round(votes / seconds), commits: snapshot?.version ?? 0 };
  } finally {
    await world.close();
  }
}
