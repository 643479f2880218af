/**
 * Decisions about messages that wait for a moderator:
 * 1. what waits is in Redis (realtime/rooms/held.ts), what was decided in MongoDB: one document by the held message's id, in the
 *    transaction that also writes what everybody is told. Whoever comes second finds it;
 * 2. the outbox publishes: an approved message enters the log as one that is said now, and waits no more with the same step;
 * 3. what nobody decides about in five minutes the sweep ends, and what somebody banned for good has waiting at once.
 */
import type { ClientSession } from "mongodb";
import type { HeldMessages, HeldRecord, Waiting } from "../../realtime/rooms/held.ts";
import type { Rooms } from "../../realtime/rooms/rooms.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { ChatMessage } from "../../specs/contract/wire.ts";
import type { Clock } from "../../store/clock.ts";
import { nullIfUnavailable } from "../../store/failures/unavailable.ts";
import type { Log } from "../../store/log.ts";
import { type ChannelPeople, isInForce } from "../../store/mongo/channel-people.ts";
import type { HeldDecisions, HeldOutcome } from "../../store/mongo/held-decisions.ts";
import { SHARDS } from "../../store/redis/keys.ts";
import type { Said } from "../channels/mentions.ts";
import type { RoomChange, RoomChanges, RoomNews } from "../channels/room-changes.ts";
import { inLines } from "../host/in-lines.ts";
import type { UserRow } from "../host/outbox-draft.ts";
import { summaryOf } from "../identity/views.ts";
import type { UsersByIds } from "./action-view.ts";
import { type Moderating, type ModerationLog, ON_ROOM } from "./moderation-log.ts";

/** Of a shard, in one round of the sweep. */
const DUE = 200;
/** Of one room, in one transaction. */
const BATCH = 50;
/** Rooms in which the sweep decides at a time. */
const AT_ONCE = 4;

type Deciding = Moderating & { heldId: string };

type Due = { streamId: string; ids: string[] };

export function createHeldActions(deps: {
  held: HeldMessages;
  decisions: HeldDecisions;
  moderationLog: ModerationLog;
  changes: RoomChanges;
  people: Pick<ChannelPeople, "banOf">;
  usersByIds: UsersByIds;
  findMessage: Rooms["findMessage"];
  /** Called for each message that was approved, once that is committed. */
  onSaid(said: Said): void;
  clock: Clock;
  log: Log;
}) {
  const { held, decisions, moderationLog, changes, people, usersByIds, findMessage, onSaid, clock, log } =
    deps;

  const decided = (status: string) => new ServiceError("invalid_state", { status });

  /** Throws not_found for what was never held, or is forgotten, and invalid_state for what is decided. */
  async function requireWaiting({ streamId, heldId }: Deciding): Promise<HeldRecord> {
    const [waiting] = await held.find(streamId, [heldId]);
    const decision = await decisions.find(heldId);
    if (decision?.streamId === streamId) {
      // A Redis that came back with older data has it again.
      if (waiting) await held.drop(streamId, [heldId]);
      throw decided(decision.outcome);
    }
    if (!waiting) throw new ServiceError("not_found");
    if (waiting.expiresMs <= clock.now()) throw decided("expired");
    return waiting.record;
  }

  async function decide(deciding: Deciding, outcome: "approved" | "denied"): Promise<void> {
    const { streamId, heldId, by } = deciding;
    const { message } = await requireWaiting(deciding);
    const users = await usersByIds([message.user_id, by]);
    const username = users.get(message.user_id)?.username ?? message.username;
    const saidAt = (at: Date): ChatMessage => ({ ...message, username, ...timesOf(at) });
    // Of the run that is committed: a transaction may run more than once.
    const last = { at: moderationLog.now() };
    await moderationLog.record(deciding, ON_ROOM, async (stream, session) => {
      const { events, toUsers } = resolved(streamId, message, outcome, summaryOf(by, users.get(by)));
      const before = await decisions.find(heldId, session);
      if (before) throw decided(before.outcome);
      const author = users.get(message.user_id);
      if (outcome === "approved") await requireWelcome(streamId, message.user_id, session);
      if (outcome === "approved" && author?.status !== "active") throw decided("author_gone");
      const at = moderationLog.now();
      last.at = at;
      await decisions.insert([{ _id: heldId, streamId, outcome, by, decidedAt: at }], session);
      const entry = moderationLog.entry(
        stream,
        { by, targetId: message.user_id },
        { action: outcome === "approved" ? "held_approved" : "held_denied" },
      );
      const gone = { kind: "resolved" as const, heldId };
      if (outcome === "denied") return { effects: [gone], events, toUsers, log: [entry] };
      return {
        effects: [{ kind: "message", uuid: message.uuid, authorId: message.user_id }, gone],
        events: [{ type: "chat.message", data: saidAt(at) }, ...events],
        toUsers,
        log: [entry],
      };
    });
    if (outcome === "approved") await noteSaid(streamId, saidAt(last.at));
  }

  /** As of any message: who it answers or names is told. It stands approved also when nobody can be found. */
  async function noteSaid(streamId: string, message: ChatMessage): Promise<void> {
    const { reply_to_id: repliedTo } = message;
    const replied =
      repliedTo === null ? null : await nullIfUnavailable(() => findMessage(streamId, repliedTo));
    onSaid({ streamId, message, repliedToId: replied?.user_id ?? null });
  }

  /** Nobody speaks by a moderator who may not speak. Throws invalid_state; after a timeout it may be approved. */
  async function requireWelcome(streamId: string, userId: string, session: ClientSession): Promise<void> {
    const ban = await people.banOf(streamId, userId, session);
    if (ban && isInForce(ban, moderationLog.now())) throw decided(ban.until ? "timed_out" : "banned");
  }

  /** What is over, of one room. */
  async function end({ streamId, ids }: Due): Promise<void> {
    const waiting = (await held.find(streamId, ids)).filter((one): one is Waiting => one !== null);
    if (waiting.length > 0) {
      try {
        await changes.commit(streamId, (_stream, session) => ending(streamId, waiting, session));
      } catch (err) {
        // The channel has gone.
        if (!(err instanceof ServiceError) || err.code !== "not_found") throw err;
      }
    }
    // Also what was decided before, or lost: it would be found again each time.
    await held.drop(streamId, ids);
  }

  async function ending(streamId: string, waiting: Waiting[], session: ClientSession): Promise<RoomChange> {
    const messages = waiting.map(({ record }) => record.message);
    const before = await decisions.findMany(
      messages.map(({ uuid }) => uuid),
      session,
    );
    const known = new Set(before.map(({ _id }) => _id));
    const news: RoomNews[] = [];
    const toUsers: UserRow[] = [];
    const docs = [];
    for (const message of messages.filter(({ uuid }) => !known.has(uuid))) {
      const ban = await people.banOf(streamId, message.user_id, session);
      const outcome: HeldOutcome = ban && ban.until === null ? "denied" : "expired";
      const told = resolved(streamId, message, outcome, null);
      news.push(
        ...told.events.map((event) => ({
          ...event,
          effects: [{ kind: "resolved" as const, heldId: message.uuid }],
        })),
      );
      toUsers.push(...told.toUsers);
      docs.push({ _id: message.uuid, streamId, outcome, by: null, decidedAt: moderationLog.now() });
    }
    await decisions.insert(docs, session);
    return { news, toUsers };
  }

  return {
    /** What waits, the oldest first. */
    async listHeld(streamId: string): Promise<HeldRecord[]> {
      const waiting = await held.of(streamId, clock.now());
      // Their events may be on their way still.
      const known = await decisions.findMany(waiting.map(({ message }) => message.uuid));
      const over = new Set(known.map(({ _id }) => _id));
      return waiting.filter(({ message }) => !over.has(message.uuid));
    },

    /** It is said, now. Throws not_found, and invalid_state for what is decided and while its author may not speak. */
    approveHeld: (deciding: Deciding) => decide(deciding, "approved"),

    /** Throws as `approveHeld` does. */
    denyHeld: (deciding: Deciding) => decide(deciding, "denied"),

    /** Ends what is over, in every room; what fails in one is tried again with the next round. */
    async sweepHeld(): Promise<void> {
      for (let shard = 0; shard < SHARDS; shard++) {
        const due = await held.due(shard, clock.now(), DUE);
        await inLines(
          batchesOf(due),
          { lineOf: ({ streamId }) => streamId, atOnce: AT_ONCE },
          async (batch) => {
            await end(batch).catch((err: unknown) =>
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

/** What moderators and the author are told. */
function resolved(
  streamId: string,
  message: ChatMessage,
  outcome: HeldOutcome,
  by: ReturnType<typeof summaryOf> | null,
): { events: RoomNews[]; toUsers: UserRow[] } {
  const { uuid: id, user_id: userId } = message;
  return {
    events: [{ type: "mod.held_resolved", data: { id, outcome, by } }],
    toUsers: [{ userId, type: "chat.held_resolved", data: { id, stream_id: streamId, outcome } }],
  };
}

const timesOf = (at: Date) => ({ timestamp: at.getTime(), created_at: at.toISOString() });

function batchesOf(due: readonly { streamId: string; id: string }[]): Due[] {
  const open = new Map<string, Due>();
  const batches: Due[] = [];
  for (const { streamId, id } of due) {
    let batch = open.get(streamId);
    if (!batch || batch.ids.length >= BATCH) {
      batch = { streamId, ids: [] };
      open.set(streamId, batch);
      batches.push(batch);
    }
    batch.ids.push(id);
  }
  return batches;
}
