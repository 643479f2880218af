/**
 * Decisions about messages that are held for review by a moderator:
 * 1. Held messages are in Redis (realtime/rooms/held.ts), decisions in MongoDB: one document per held message, under its id,
 *    written in the transaction that also writes the events. Whoever decides second finds the document.
 * 2. The outbox publishes. An approved message enters the room's log as one sent now, and the same step removes it from the
 *    held ones.
 * 3. The sweep ends messages on which nobody has decided within five minutes, and those of a permanently banned author at once.
 */
import type { ClientSession } from "mongodb";
import type { Clock } from "../../../base/clock.ts";
import { nullIfUnavailable } from "../../../base/failures/unavailable.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { ChatMessage } from "../../../contract/wire.ts";
import type { HeldMessages, HeldRecord, PendingMessage } from "../../../realtime/rooms/held.ts";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import type { ActTexts } from "../../../store/mongo/chat/act-texts.ts";
import { type ChatBans, isInForce } from "../../../store/mongo/chat/chat-bans.ts";
import type {
  HeldDecisionDoc,
  HeldDecisions,
  HeldOutcome,
} from "../../../store/mongo/chat/held-decisions.ts";
import { SHARDS } from "../../../store/redis/keys.ts";
import { summaryOf } from "../../accounts/public.ts";
import type { RoomChange, RoomChanges } from "../../channels/public.ts";
import type { RoomRow, UserRow } from "../../host/outbox-draft.ts";
import { sequentialByKey } from "../../host/sequential-by-key.ts";
import type { PostedMessage } from "../mentions/mentions.ts";
import type { UsersByIds } from "./action-view.ts";
import { batchesOf, type Due } from "./due-held.ts";
import { type ModerationLog, type ModeratorRequest, ROOM_RULE } from "./moderation-log.ts";

/** Messages per shard in one round of the sweep. */
const DUE = 200;
/** How many rooms the sweep handles concurrently. */
const CONCURRENCY = 4;

type Deciding = ModeratorRequest & { heldId: string };

type Made = Omit<HeldDecisionDoc, "_id"> & { message: ChatMessage };

export function createHeldActions(deps: {
  held: HeldMessages;
  decisions: HeldDecisions;
  actTexts: Pick<ActTexts, "resolved">;
  moderationLog: ModerationLog;
  changes: RoomChanges;
  chatBans: Pick<ChatBans, "banOf">;
  usersByIds: UsersByIds;
  findMessage: Rooms["findMessage"];
  /** Called for each approved message after the commit. */
  onApproved(posted: PostedMessage): void;
  clock: Clock;
  log: Log;
}) {
  const {
    held,
    decisions,
    actTexts,
    moderationLog,
    changes,
    chatBans,
    usersByIds,
    findMessage,
    onApproved,
    clock,
    log,
  } = deps;

  const decided = (status: string) => new ServiceError("invalid_state", { status });

  /** Throws not_found for a message that was never held or has been forgotten, and invalid_state for one already decided. */
  async function requireWaiting({ streamId, heldId }: Deciding): Promise<HeldRecord> {
    const [waiting] = await held.find(streamId, [heldId]);
    const decision = await decisions.find(heldId);
    if (decision?.streamId === streamId) {
      // A Redis that came back with older data holds it again.
      if (waiting) await held.drop(streamId, [heldId]);
      throw decided(decision.outcome);
    }
    if (!waiting) throw new ServiceError("not_found");
    if (waiting.expiresMs <= clock.now()) throw decided("expired");
    return waiting.record;
  }

  /** Writes the decisions, and what they mean for the acts that the messages go with. */
  async function insertDecisions(made: Made[], session: ClientSession): Promise<void> {
    await decisions.insert(
      made.map(({ message, ...doc }) => ({ _id: message.uuid, ...doc })),
      session,
    );
    for (const { message, outcome } of made) {
      if (message.act) await actTexts.resolved(message.act, outcome, session);
    }
  }

  async function decide(deciding: Deciding, outcome: "approved" | "denied"): Promise<void> {
    const { streamId, heldId, by } = deciding;
    const { message } = await requireWaiting(deciding);
    const users = await usersByIds([message.user_id, by]);
    const username = users.get(message.user_id)?.username ?? message.username;
    const messageAt = (at: Date): ChatMessage => ({ ...message, username, ...timesOf(at) });
    // A transaction may run more than once: the time of the last run, which is the one committed, counts.
    const lastRun = { at: moderationLog.now() };
    await moderationLog.record(deciding, ROOM_RULE, async (stream, session) => {
      const { events, toUsers } = resolvedEvents(streamId, message, outcome, summaryOf(by, users.get(by)));
      const before = await decisions.find(heldId, session);
      if (before) throw decided(before.outcome);
      const author = users.get(message.user_id);
      if (outcome === "approved") await requireMayChat(streamId, message.user_id, session);
      if (outcome === "approved" && author?.status !== "active") throw decided("author_gone");
      const at = moderationLog.now();
      lastRun.at = at;
      await insertDecisions([{ message, streamId, outcome, by, decidedAt: at }], session);
      const entry = moderationLog.entry(
        stream,
        { by, targetId: message.user_id },
        { action: outcome === "approved" ? "held_approved" : "held_denied" },
      );
      const effect = { kind: "resolved" as const, heldId };
      if (outcome === "denied") return { effects: [effect], events, toUsers, log: [entry] };
      return {
        effects: [{ kind: "message", uuid: message.uuid, authorId: message.user_id }, effect],
        events: [{ type: "chat.message", data: messageAt(at) }, ...events],
        toUsers,
        log: [entry],
      };
    });
    if (outcome === "approved") await notifyApproved(streamId, messageAt(lastRun.at));
  }

  /** Mentions and replies are notified as for any message. The approval stands even if the message replied to can't be found. */
  async function notifyApproved(streamId: string, message: ChatMessage): Promise<void> {
    const { reply_to_id: repliedTo } = message;
    const replied =
      repliedTo === null ? null : await nullIfUnavailable(() => findMessage(streamId, repliedTo));
    onApproved({ streamId, message, repliedToId: replied?.user_id ?? null });
  }

  /** An approval can't bypass the author's ban or timeout. Throws invalid_state; once a timeout is over, approving works. */
  async function requireMayChat(streamId: string, userId: string, session: ClientSession): Promise<void> {
    const ban = await chatBans.banOf(streamId, userId, session);
    if (ban && isInForce(ban, moderationLog.now())) throw decided(ban.until ? "timed_out" : "banned");
  }

  /** Ends held messages of one room that are due. */
  async function endDue({ streamId, ids }: Due): Promise<void> {
    const waiting = (await held.find(streamId, ids)).filter((one): one is PendingMessage => one !== null);
    if (waiting.length > 0) {
      try {
        await changes.commit(streamId, (_stream, session) => endChange(streamId, waiting, session));
      } catch (err) {
        // The channel no longer exists.
        if (!(err instanceof ServiceError) || err.code !== "not_found") throw err;
      }
    }
    // Also drops ids that were decided before or whose message is lost; the sweep would find them again each time.
    await held.drop(streamId, ids);
  }

  async function endChange(
    streamId: string,
    waiting: PendingMessage[],
    session: ClientSession,
  ): Promise<RoomChange> {
    const messages = waiting.map(({ record }) => record.message);
    const before = await decisions.findMany(
      messages.map(({ uuid }) => uuid),
      session,
    );
    const known = new Set(before.map(({ _id }) => _id));
    const events: RoomRow[] = [];
    const toUsers: UserRow[] = [];
    const made: Made[] = [];
    for (const message of messages.filter(({ uuid }) => !known.has(uuid))) {
      const ban = await chatBans.banOf(streamId, message.user_id, session);
      const outcome: HeldOutcome = ban && ban.until === null ? "denied" : "expired";
      const outcomeEvents = resolvedEvents(streamId, message, outcome, null);
      events.push(
        ...outcomeEvents.events.map((event) => ({
          ...event,
          effects: [{ kind: "resolved" as const, heldId: message.uuid }],
        })),
      );
      toUsers.push(...outcomeEvents.toUsers);
      made.push({ message, streamId, outcome, by: null, decidedAt: moderationLog.now() });
    }
    await insertDecisions(made, session);
    return { events, toUsers };
  }

  return {
    /** The held messages, the oldest first. */
    async listHeld(streamId: string): Promise<HeldRecord[]> {
      const waiting = await held.of(streamId, clock.now());
      // Leaves out decided ones that the outbox hasn't removed from Redis yet.
      const known = await decisions.findMany(waiting.map(({ message }) => message.uuid));
      const decidedIds = new Set(known.map(({ _id }) => _id));
      return waiting.filter(({ message }) => !decidedIds.has(message.uuid));
    },

    /** Posts the message now. Throws not_found, and invalid_state if it is already decided or its author may not chat. */
    approveHeld: (deciding: Deciding) => decide(deciding, "approved"),

    /** Throws as `approveHeld` does, but never because of the author. */
    denyHeld: (deciding: Deciding) => decide(deciding, "denied"),

    /** Ends messages that are due, in every room. A room that fails is retried in the next round. */
    async sweepHeld(): Promise<void> {
      for (let shard = 0; shard < SHARDS; shard++) {
        const due = await held.due(shard, clock.now(), DUE);
        await sequentialByKey(
          batchesOf(due),
          { keyOf: ({ streamId }) => streamId, concurrency: CONCURRENCY },
          async (batch) => {
            await endDue(batch).catch((err: unknown) =>
              log.warn(
                { err, streamId: batch.streamId },
                "held messages couldn't be ended; it is tried again",
              ),
            );
          },
        );
      }
    },
  };
}

/** The events for moderators and for the author. */
function resolvedEvents(
  streamId: string,
  message: ChatMessage,
  outcome: HeldOutcome,
  by: ReturnType<typeof summaryOf> | null,
): { events: RoomRow[]; toUsers: UserRow[] } {
  const { uuid: id, user_id: userId } = message;
  return {
    events: [{ type: "mod.held_resolved", data: { id, outcome, by } }],
    toUsers: [{ userId, type: "chat.held_resolved", data: { id, stream_id: streamId, outcome } }],
  };
}

const timesOf = (at: Date) => ({ timestamp: at.getTime(), created_at: at.toISOString() });
