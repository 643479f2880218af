import { pollDefinition } from "../../../../actors/chat/poll/definition.ts";
import { newId } from "../../../../base/ids.ts";
import type { PollDoc } from "../../../../store/mongo/chat/polls.ts";
import type { Subject } from "../../host/subject.ts";
import type { Driver, Stage } from "../../host/versions/stage.ts";
import type { World } from "../../host/world.ts";
import { expectCounted, expectExactEnd } from "./counted-votes.ts";

const OLD = "0197b7a0-0000-7000-8000-00000000000c";
const NEW = "0197b7a0-0000-7000-8000-00000000000d";

function driver(world: World): Driver {
  const vote = (userId: string, optionId: string) => ({ type: "vote", userId, optionId }) as const;

  /** An open poll with three votes. */
  async function opened(stage: Stage): Promise<string> {
    const stream = await world.stream();
    const id = newId();
    await stage.create(id, {
      streamId: stream._id,
      channelUserId: stream.userId,
      roomId: stream.roomId,
      question: "Which boss next?",
      options: [
        { id: OLD, text: "The old one" },
        { id: NEW, text: "The new one" },
      ],
      durationMs: 120_000,
      createdBy: newId(),
    });
    await Promise.all([NEW, NEW, OLD].map((option) => stage.send(id, vote(newId(), option))));
    return id;
  }

  return {
    definition: pollDefinition(world.mongo.db),
    beside: ["polls", "poll_votes"],

    async drive(stage) {
      const id = await opened(stage);
      await stage.keep(id);
      await stage.fireNext(id);
      await stage.keep(id);
    },

    // A vote needs no other documents.
    plant: async () => undefined,

    commands: () => ({ vote: vote("newcomer", NEW), end: { type: "end" } }),
  };
}

export const pollSubject: Subject = {
  machine: "poll",
  driver,
  timers: { active: ["poll.active"] },
  agrees: (db, { id, ...actor }) => expectCounted(db, id, actor),
  announces: ({ after }) => [after === "active" ? "chat.poll" : "chat.poll_ended"],
  ofChannel: (db, { streamId }) => db.collection<PollDoc>("polls").distinct("_id", { streamId }),
  async expectEnd(db, id, { viewers, published }) {
    const poll = await db.collection<PollDoc>("polls").findOne({ _id: id });
    if (!poll) throw new Error(`poll ${id} has no document`);
    await expectExactEnd(db, poll, viewers, published);
  },
};
