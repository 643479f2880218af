import { expect } from "chai";
import { startChatArchive } from "../../../jobs/chat/archive/chat-archive.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { quiet, type RoomsWorld } from "./world.ts";

const START = { epoch: 0, seq: 0 };

/** Archives rooms, makes Redis lose their state, and reads them again. */
export function lossesIn(world: RoomsWorld) {
  const { redis, db, rooms } = world;
  return {
    /** Runs the archive until that many messages are archived. */
    async archive({ _id }: StreamDoc, messages: number): Promise<void> {
      const archive = await startChatArchive({ redis, archiveDb: db, log: quiet });
      const messagesIn = chatMessagesIn(db);
      const live = keys.shardLive(shardOf(_id));
      await eventually(async () => {
        expect(await messagesIn.pageBefore(_id, null, 100)).length(messages);
        expect((await redis.xpending(live, "archive"))[0]).equal(0);
      });
      await archive.stop();
    },

    /** The state after an empty Redis has replaced ours. */
    loseAll: async ({ _id }: StreamDoc) => void (await redis.del(await redis.keys(`${keys.room(_id)}:*`))),

    /** The state of a promoted replica that never received the last event, before the state was loaded. */
    async loseLast({ _id }: StreamDoc): Promise<void> {
      const live = keys.shardLive(shardOf(_id));
      for (const stream of [live, keys.roomLog(_id)]) {
        const [last] = await redis.xrevrange(stream, "+", "-", "COUNT", 1);
        if (last) await redis.xdel(stream, last[0]);
      }
      const state = keys.roomState(_id);
      const hiding = (await redis.hkeys(state)).filter((field) => /^(h:|cleared$)/.test(field));
      if (hiding.length > 0) await redis.hdel(state, ...hiding);
      await redis.del(keys.roomDeleted(_id), keys.roomActors(_id));
      await redis.hset(state, "run", "another-server");
    },

    /** Texts as all ways of reading history return them; "" for deleted ones. */
    async shown({ _id: streamId }: StreamDoc): Promise<string[]> {
      const backward = await rooms.history({ streamId, limit: 100 });
      const forward = await rooms.history({ streamId, after: START, limit: 100 });
      expect(forward.items).deep.equal(backward.items);
      for (const { uuid, is_deleted, content } of backward.items) {
        expect(is_deleted).equal(content === "");
        expect(await rooms.findMessage(streamId, uuid)).deep.include({ is_deleted, content });
      }
      return backward.items.map(({ content }) => content);
    },

    /** Everything that a resuming client receives from the room's log. */
    async replayed({ _id }: StreamDoc): Promise<string> {
      return (await rooms.log.after(_id, START, 1_000)).map(({ payload }) => payload.toString()).join();
    },
  };
}
