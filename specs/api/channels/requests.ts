import type { Expected, ResourceRequests } from "../authorization/resource-requests.ts";

const OVERLAY = { kind: "alerts" as const, name: "Alerts" };
const PLANNED = { title: "Planned", starts_at: "2026-03-15T19:00:00Z" };

/** Only the channel's owner has an entry of that id. */
const OWNER_ALONE_FINDS: Expected["updateScheduleEntry"] = {
  user: "not_found",
  otherUser: "not_found",
  moderator: "not_found",
  otherChannelsModerator: "not_found",
  staff: "not_found",
};

export const channelRequests: ResourceRequests = {
  forEach: ["hostChannel", "updateFollow"],

  requests({ people, liveTarget }) {
    const { at, owner, target } = people;
    return {
      values: {
        stream_id: () => at.stream_id,
        overlay_id: async () => (await owner.api.ok("createOverlay", { params: at, body: OVERLAY })).id,
        entry_id: async () => (await owner.api.ok("createScheduleEntry", { body: PLANNED })).id,
      },
      prepared: {
        hostChannel: async () => ({ body: await liveTarget() }),
        getHosting: async () => {
          const params = { username: owner.username };
          const { status } = await owner.api.call("getHosting", { params });
          if (status === 404) await owner.api.ok("hostChannel", { body: await liveTarget() });
          return { params };
        },
        updateFollow: async () => {
          const { user, otherUser, moderator, otherChannelsModerator, staff } = people;
          const params = { user_id: owner.id };
          for (const { api } of [user, otherUser, moderator, otherChannelsModerator, staff])
            await api.ok("followUser", { params });
          return { params, body: { notifications: "none" } };
        },
        setAutoHost: () => ({ body: { user_ids: [target.id] } }),
      },
    };
  },

  expected: {
    // Nobody follows themselves.
    updateFollow: { owner: "not_found" },
    updateScheduleEntry: OWNER_ALONE_FINDS,
    deleteScheduleEntry: OWNER_ALONE_FINDS,
  },

  shown: {
    createScheduleEntry: "in the caller's own channel or account",
    updateScheduleEntry: "in the caller's own channel or account",
    updateMyStream: "in the caller's own channel or account",
  },

  visibility: {
    // One's own list of blocks and follows doesn't show deleted accounts either.
    blockUser: { deleted: "not_found" },
    unblockUser: { deleted: "not_found" },
    unfollowUser: { deleted: "not_found" },
  },

  fields: {
    "hostChannel body.target_user_id": {
      request: ({ userId }) => ({ body: { target_user_id: userId } }),
      isLive: true,
    },
    "setAutoHost body.user_ids": {
      request: ({ userId }, other) => ({ body: { user_ids: [other.owner.id, userId] } }),
    },
  },
};
