import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";

/** Requests about rooms and whispers; the rows of rooms are in `role-matrix/table.ts`. */
export const chatRequests: ResourceRequests = {
  forEach: ["sendWhisper"],

  requests({ world, people: { at, target, user } }) {
    /** The id of a message in the room. */
    async function newMessage(): Promise<string> {
      // So that the limit of one message a second doesn't apply.
      world.clock.move(2_000);
      const body = { content: `A message at ${world.clock.now()}` };
      return (await user.api.ok("sendChatMessage", { params: at, body })).uuid;
    }

    return {
      prepared: {
        async sendWhisper() {
          const unverified = { emailVerifiedAt: null };
          await usersCollection
            .in(world.core.mongo.db)
            .updateMany(unverified, { $set: { emailVerifiedAt: new Date() } });
          return { params: { user_id: target.id }, body: { content: "hello" } };
        },
        deleteChatMessage: async () => ({ params: { ...at, uuid: await newMessage() } }),
        pinChatMessage: async () => ({ params: at, body: { uuid: await newMessage() } }),
        updateChatSettings: () => ({ params: at, body: { unique_chat: false } }),
        runChatCommand: () => ({ params: at, body: { command: `/timeout ${target.username} 5` } }),
      },
      ofCaller: {
        sendChatMessage: (caller) => ({ params: at, body: { content: `Hello from ${caller}` } }),
      },
    };
  },

  shown: {
    sendWhisper: "to its recipient alone",
    sendChatMessage: "in a room",
    sendBotMessage: "in a room",
  },

  visibility: {
    // Whispers have rules of their own: the recipient's account counts, not a channel.
    listWhispers: { deleted: "not_found" },
    readWhispers: { deleted: "not_found" },
    sendWhisper: { deleted: "not_found", blocked: "blocked" },
  },

  fields: {
    "listBotMessages query.channel": {
      request: ({ username }) => ({ query: { channel: username } }),
    },
    "sendBotMessage body.channel": {
      request: ({ username }) => ({ body: { channel: username, message: "Hello" } }),
    },
    "sendBotMessage body.reply_to_id": "a message in the room of `channel`",
    "sendChatMessage body.reply_to_id": "a message in the room that the path names",
    "pinChatMessage body.uuid": "a message in the room that the path names",
    "listModerationActions query.actor": "a filter of what the caller moderates: any id is taken",
    "listModerationActions query.target": "a filter of what the caller moderates: any id is taken",
  },
};
