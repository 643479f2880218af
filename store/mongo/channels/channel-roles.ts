import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

export type ChannelRole = "moderator" | "vip";

/** A moderator or VIP of a channel; `_id` is "stream:user". */
export type ChannelRoleDoc = {
  _id: string;
  streamId: string;
  userId: string;
  role: ChannelRole;
  grantedBy: string;
  createdAt: Date;
};

export const channelRolesCollection = defineCollection<ChannelRoleDoc>("channel_roles", {
  personal: {
    erase: {
      userId: "delete",
      _id: { with: "userId" },
      streamId: { holds: "stream", does: "delete" },
      grantedBy: "anonymise",
    },
    exports: [{ by: "userId", shows: ["streamId", "role", "createdAt"] }],
  },

  indexes: [
    { key: { userId: 1, role: 1, createdAt: -1, _id: -1 } }, // moderatedBy, export and erasure
    { key: { streamId: 1, role: 1, _id: 1 } },
  ],
  retired: [{ userId: 1 }],
});

export const roleIdOf = (streamId: string, userId: string) => `${streamId}:${userId}`;

export function channelRolesIn(db: Db) {
  const roles = channelRolesCollection.in(db);
  const within = (session?: ClientSession) => (session ? { session } : {});
  return {
    roleOf: async (streamId: string, userId: string, session?: ClientSession): Promise<ChannelRole | null> =>
      (await roles.findOne({ _id: roleIdOf(streamId, userId) }, within(session)))?.role ?? null,
    /** All roles of a channel: they are few, and a room keeps them in memory. */
    rolesOf: (streamId: string) => roles.find({ streamId }).toArray(),
    rolePage: (streamId: string, role: ChannelRole, range: Range) =>
      pageIn(roles, { streamId, role }, { _id: 1 }, range),
    /** The newest channels of which a user is a moderator, at most `limit`. */
    moderatedBy: (userId: string, limit: number) =>
      roles.find({ userId, role: "moderator" }).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray(),
    setRole: async (doc: Omit<ChannelRoleDoc, "_id">, session?: ClientSession) =>
      void (await roles.replaceOne({ _id: roleIdOf(doc.streamId, doc.userId) }, doc, {
        upsert: true,
        ...within(session),
      })),
    /** True when the user had that role until now. */
    dropRole: async (streamId: string, userId: string, role: ChannelRole, session?: ClientSession) =>
      (await roles.deleteOne({ _id: roleIdOf(streamId, userId), role }, within(session))).deletedCount === 1,
  };
}

/** The roles that owners give. Who is the owner or staff isn't among them: `actors/channels/channel-roles.ts` adds that. */
export type GrantedRoles = ReturnType<typeof channelRolesIn>;
