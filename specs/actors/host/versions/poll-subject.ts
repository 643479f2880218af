import { pollDefinition } from "../../../../actors/chat/poll/definition.ts";
import { newId } from "../../../../base/ids.ts";
import type { World } from "../world.ts";
import type { Stage, Subject } from "./stage.ts";

const OLD = "0197b7a0-0000-7000-8000-00000000000c";
const NEW = "0197b7a0-0000-7000-8000-00000000000d";

export function pollSubject(world: World): Subject {
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
