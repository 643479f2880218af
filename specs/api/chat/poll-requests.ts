import { newId } from "../../../base/ids.ts";
import { pollsCollection } from "../../../store/mongo/chat/polls.ts";
import type { World } from "../../support/world.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";
import { moderators, open, signedIn } from "./role-matrix/rows.ts";

const POLL = { question: "Who may do this?", options: ["Everybody", "Nobody"], duration_sec: 600 };

/** The newest poll of a room, open or ended, with one of its options. */
async function newestIn({ core }: World, streamId: string) {
  const polls = pollsCollection.in(core.mongo.db);
  const poll = await polls.findOne({ streamId }, { sort: { createdAt: -1 } });
  return { params: { poll_id: poll?._id ?? newId() }, option_id: poll?.options[0]?.id ?? "none" };
}

export const pollRequests: ResourceRequests = {
  forEach: ["voteInPoll"],

  requests({ world, people: { at, owner } }) {
    /** A channel has one open poll, so the previous one is ended first, no matter who opened it. */
    async function close(): Promise<void> {
      const open = await world.core.polls.openOf(at.stream_id);
      if (open) await world.core.polls.end(open._id, owner.id);
    }

    async function newPoll() {
      await close();
      const { question, options, duration_sec: durationSeconds } = POLL;
      const stream = await world.core.channels.require(at.stream_id);
      // Not by REST, because of the rate limit.
      const opened = await world.core.polls.open({
        stream,
        question,
        options,
        durationSeconds,
        by: owner.id,
        key: null,
      });
      return { params: { poll_id: opened._id }, option_id: opened.options[0]?.id ?? "" };
    }

    return {
      values: { poll_id: async () => (await newPoll()).params.poll_id },
      prepared: {
        createPoll: async () => {
          await close();
          return { params: at, body: POLL };
        },
        getCurrentPoll: async () => {
          await newPoll();
          return { params: at };
        },
        voteInPoll: async () => {
          const { params, option_id } = await newPoll();
          return { params, body: { option_id } };
        },
      },
    };
  },

  shown: {
    voteInPoll: "nowhere",
  },

  rows: [
    // One poll at a time: the moderator's is first.
    moderators(
      "createPoll",
      { request: () => ({ body: { ...POLL, duration_sec: 1_800 } }) },
      { owner: "poll_open", staff: "poll_open" },
    ),
    open("getCurrentPoll"),
    signedIn(
      "voteInPoll",
      {
        request: async ({ streamId }, _sent, world) => {
          const { params, option_id } = await newestIn(world, streamId);
          return { params, body: { option_id } };
        },
      },
      { banned: "banned", timedOut: "timed_out" },
    ),
    // The moderator's request is first, and a poll ends once.
    moderators(
      "endPoll",
      {
        request: async ({ streamId }, _sent, world) => ({ params: (await newestIn(world, streamId)).params }),
      },
      { owner: "invalid_state", staff: "invalid_state" },
    ),
  ],
};
