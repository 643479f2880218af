import type { ClientSession, Db } from "mongodb";
import type { StaffModerationAction } from "../../../contract/wire.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** ModerationActionType (docs/interface.md#2-resources): the actions in the channel's public log. */
export const PUBLIC_ACTIONS = [
  "ban",
  "unban",
  "timeout",
  "untimeout",
  "mod",
  "unmod",
  "vip",
  "unvip",
  "clear",
  "delete_message",
  "slow_on",
  "slow_off",
  "emote_only_on",
  "emote_only_off",
  "followers_only_on",
  "followers_only_off",
  "shield_on",
  "shield_off",
] as const;

export type ModerationActionType = (typeof PUBLIC_ACTIONS)[number];

/** The actor that a channel sees for actions of staff on a report: it doesn't say which member of staff it was. */
export const STAFF_ACTOR = "00000000-0000-7000-8000-000000000000";

/** Actions without a value in the public enumeration; only staff see them. */
export type InternalActionType = Exclude<StaffModerationAction["action"], ModerationActionType>;

/** One moderation action, written once in the same transaction and never changed. */
export type ModerationActionDoc = {
  _id: string;
  streamId: string;
  roomId: number;
  actorId: string;
  /** Null for an action on the room as a whole. */
  targetId: string | null;
  action: ModerationActionType | InternalActionType;
  reason: string | null;
  durationSeconds: number | null;
  createdAt: Date;
};

export const moderationActionsCollection = defineCollection<ModerationActionDoc>("moderation_actions", {
  personal: {
    erase: {
      streamId: { holds: "stream", does: "delete" },
      actorId: "anonymise",
      targetId: "anonymise",
    },
    exports: [
      {
        as: "moderation_of_me",
        by: "targetId",
        shows: ["streamId", "action", "reason", "durationSeconds", "createdAt"],
      },
      {
        as: "moderation_by_me",
        by: "actorId",
        shows: ["streamId", "targetId", "action", "reason", "durationSeconds", "createdAt"],
      },
    ],
  },

  indexes: [
    { key: { actorId: 1 } }, // export and erasure
    { key: { targetId: 1 }, partialFilterExpression: { targetId: { $gte: "" } } }, // export and erasure

    { key: { streamId: 1, createdAt: -1, _id: -1 } }, // ofStream, page
    // page, lastOf
    { key: { streamId: 1, action: 1, createdAt: -1, _id: -1 } },
    { key: { streamId: 1, actorId: 1, createdAt: -1, _id: -1 } },
    {
      key: { streamId: 1, targetId: 1, createdAt: -1, _id: -1 },
      partialFilterExpression: { targetId: { $gte: "" } },
    },
  ],
});

/** Actions in one room; the other criteria are optional. */
export type ActionFilter = {
  streamId: string;
  action?: ModerationActionDoc["action"] | undefined;
  actorId?: string | undefined;
  targetId?: string | undefined;
  /** From then on. */
  since?: Date | undefined;
  /** Before then. */
  until?: Date | undefined;
};

/** Append-only: it has no way to change or remove an entry. */
export function moderationActionsIn(db: Db) {
  const actions = moderationActionsCollection.in(db);
  return {
    async insert(docs: ModerationActionDoc[], session: ClientSession): Promise<void> {
      if (docs.length > 0) await actions.insertMany(docs, { session });
    },
    /** Latest first, internal ones included. */
    ofStream: (streamId: string, skip: number, limit: number) =>
      actions.find({ streamId }).sort({ createdAt: -1, _id: -1 }).skip(skip).limit(limit).toArray(),
    /** Null when there was none. */
    lastOf: (streamId: string, action: ModerationActionDoc["action"]): Promise<ModerationActionDoc | null> =>
      actions.findOne({ streamId, action }, { sort: { createdAt: -1, _id: -1 } }),
    /** Latest first; with `isPublic` only actions that the channel may see. */
    page(
      { streamId, action, actorId, targetId, since, until }: ActionFilter,
      { isPublic, ...range }: { isPublic: boolean } & Range,
    ) {
      const shown = isPublic ? { action: { $in: [...PUBLIC_ACTIONS] } } : {};
      const filter = {
        streamId,
        ...(action === undefined ? shown : { action }),
        ...(actorId === undefined ? {} : { actorId }),
        ...(targetId === undefined ? {} : { targetId }),
        ...(since || until
          ? { createdAt: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }
          : {}),
      };
      return pageIn(actions, filter, { createdAt: -1, _id: -1 }, range);
    },
  };
}

export type ModerationActions = ReturnType<typeof moderationActionsIn>;
