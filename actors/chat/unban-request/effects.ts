import type { Db } from "mongodb";
import { Conflict } from "../../../base/failures/conflict.ts";
import { newId } from "../../../base/ids.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { type ChatBanDoc, chatBansIn } from "../../../store/mongo/chat/chat-bans.ts";
import { moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import type { UnbanRequestDoc } from "../../../store/mongo/chat/unban-requests.ts";
import { staffLogIn } from "../../../store/mongo/safety/staff-log.ts";
import { summaryOf } from "../../accounts/public.ts";
import { type ChannelRoles, changeRoom, isModerating } from "../../channels/public.ts";
import { type EffectHandlers, eachOf } from "../../host/effect.ts";
import { changeOf, staffRowOf } from "../moderation/moderation-log.ts";
import type {
  UnbanRequestCommand,
  UnbanRequestContext,
  UnbanRequestEffects,
  UnbanRequestInput,
} from "./machine.ts";
import { ownUnbanRequestView, unbanRequestDoc, unbanRequestView } from "./view.ts";

/** What was read for a batch. */
export type UnbanRequestReads = {
  /** The user's present ban in the room; null without one, and for a timeout. */
  ban: ChatBanDoc | null;
  /** By id: the user, the channel's owner and the moderators in question. */
  users: ReadonlyMap<string, UserWithoutSecrets>;
  /** Of those who decide, whoever moderates the channel. */
  moderators: ReadonlySet<string>;
  /** Set for a new request alone. */
  creation: {
    /** Whether the channel takes requests. */
    isOn: boolean;
    /** What is left of the wait after a denied one; 0 for none. */
    waitMs: number;
  } | null;
};

export type UnbanRequestTypes = {
  command: UnbanRequestCommand;
  event: UnbanRequestCommand;
  context: UnbanRequestContext;
  input: UnbanRequestInput;
  effects: UnbanRequestEffects;
  reads: UnbanRequestReads;
  answer: UnbanRequestDoc;
};

/** Effect handlers; they write in the same transaction as the snapshot. */
export function unbanRequestEffects(
  db: Db,
  roleOf: ChannelRoles["roleOf"],
): EffectHandlers<UnbanRequestTypes> {
  const streams = streamsIn(db);
  const chatBans = chatBansIn(db);
  const actions = moderationActionsIn(db);
  const staffLog = staffLogIn(db);

  return {
    announce: {
      write(batches) {
        for (const [{ after }, { outbox, reads }] of eachOf(batches)) {
          const doc = unbanRequestDoc(after);
          outbox.room(doc.streamId, "mod.unban_request", unbanRequestView(doc, reads));
          outbox.user(doc.userId, "unban_request.updated", ownUnbanRequestView(doc, reads.users));
        }
      },
    },

    moderate: {
      async write(batches, session) {
        for (const [{ params, after }, { outbox, reads, now: createdAt }] of eachOf(batches)) {
          const { streamId, channelUserId, userId, resolvedBy, note } = after.context;
          if (resolvedBy === null) throw new Error("a moderator decides");
          const isUnban = params.action === "unban";
          const usersByIds = async () => reads.users;
          const { rows } = await changeRoom({ streamId, streams, session }, async ({ roomId }) => {
            const role = await roleOf({ _id: streamId, userId: channelUserId }, resolvedBy, session);
            if (!isModerating(role)) throw new Conflict("no moderator any more");
            const isBanned = isUnban
              ? await chatBans.dropBan(streamId, userId, "ban", session)
              : (await chatBans.banOf(streamId, userId, session))?.until === null;
            // Nobody is told that they stay banned from where they may write again.
            if (!isBanned) throw new Conflict("the ban was lifted meanwhile");
            const entry = {
              _id: newId(),
              streamId,
              roomId,
              actorId: resolvedBy,
              targetId: userId,
              action: params.action,
              reason: note,
              durationSeconds: null,
              createdAt,
            };
            const row = role === "staff" ? staffRowOf(entry, { userId: resolvedBy, origin: null }) : null;
            if (row) await staffLog.insert([row], session);
            const effects = isUnban ? [{ kind: "unban" as const, userId }] : [];
            return changeOf({ actions, usersByIds }, { log: [entry], effects }, session);
          });
          outbox.include(rows);
        }
      },
    },

    conclude: {
      write(batches) {
        for (const [{ after }, { outbox, reads, now: at }] of eachOf(batches)) {
          const doc = unbanRequestDoc(after);
          const { _id: id, streamId, userId, status, resolvedBy } = doc;
          const by = resolvedBy === null ? null : summaryOf(resolvedBy, reads.users.get(resolvedBy));
          outbox.room(streamId, "mod.unban_request_resolved", { id, status, by });
          outbox.user(userId, "unban_request.updated", ownUnbanRequestView(doc, reads.users));
          if (status === "approved" || status === "denied")
            outbox.notify({ kind: "unban_request", ref: id, userId, at, data: { streamId, status } });
        }
      },
    },
  };
}
