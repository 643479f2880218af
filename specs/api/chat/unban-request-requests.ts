import { newId } from "../../../base/ids.ts";
import type { World } from "../../support/world.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";
import { moderators, NONE, ROLES, signedIn } from "./role-matrix/rows.ts";

const MESSAGE = "I won't do it again.";

/** Without what else a ban does, so that a moderator who asks keeps the role for other requests. */
async function setBan({ core, clock }: World, streamId: string, userId: string): Promise<void> {
  const stream = await core.channels.require(streamId);
  const ban = { streamId, userId, until: null, reason: null, by: stream.userId };
  await core.chatBans.setBan({ ...ban, createdAt: new Date(clock.now()) });
}

/** A request that nobody has decided on, of somebody new. */
async function newRequest(world: World, streamId: string): Promise<string> {
  const by = newId();
  await setBan(world, streamId, by);
  const stream = await world.core.channels.require(streamId);
  return (await world.core.unbanRequests.request({ stream, message: MESSAGE, by, key: null }))._id;
}

const nothing = () => ({ params: { unban_request_id: newId() } });

const NOT_BANNED = ROLES.filter((role) => role !== "anonymous" && role !== "banned");
const notBanned = Object.fromEntries(NOT_BANNED.map((role) => [role, "not_banned" as const]));
const notFound = Object.fromEntries(NOT_BANNED.map((role) => [role, "not_found" as const]));

export const unbanRequestRequests: ResourceRequests = {
  requests: ({ world, people }) => ({
    values: { unban_request_id: () => newRequest(world, people.at.stream_id) },
    ofCaller: {
      createUnbanRequest: async (caller) => {
        const account = people.accountOf(caller);
        if (account) await setBan(world, people.at.stream_id, account.id);
        return { params: people.at, body: { message: MESSAGE } };
      },
    },
  }),

  // It is a request of none of them.
  expected: {
    getUnbanRequestHistory: {
      user: "forbidden",
      otherUser: "forbidden",
      moderator: "forbidden",
      otherChannelsModerator: "forbidden",
    },
  },

  shown: { createUnbanRequest: "to its recipient alone" },

  fields: { "listMyUnbanRequests query.stream_id": "a filter of the caller's own requests: any id is taken" },

  rows: [
    moderators("listUnbanRequests"),
    // Only who is banned has something to ask for.
    signedIn("createUnbanRequest", { request: () => ({ body: { message: MESSAGE } }) }, notBanned),
    moderators("approveUnbanRequest", { request: nothing }, NONE),
    moderators("denyUnbanRequest", { request: nothing }, NONE),
    signedIn("getUnbanRequestHistory", { request: nothing }, { ...notFound, banned: "not_found" }),
  ],
};
