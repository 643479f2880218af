import { expect } from "chai";
import type { Redis } from "ioredis";
import type { Db } from "mongodb";
import type { Publishers, RoomEvent } from "../../../actors/host/outbox.ts";
import type { HistoryDoc } from "../../../store/mongo/host/history.ts";
import type { BetDoc } from "../../../store/mongo/points/bets.ts";
import type { LedgerDoc } from "../../../store/mongo/points/ledger.ts";
import type { PredictionDoc } from "../../../store/mongo/points/predictions.ts";
import { historiesIn } from "./histories.ts";
import { duesOf } from "./invariants.ts";

type PrivateEvent = { userId: string; type: string; data: Record<string, unknown> };

/** The events that rooms and users got so far, from all processes, in Redis's order. */
export type PublishedEvents = { room: RoomEvent[]; privateEvents: PrivateEvent[] };

/** Publishers whose record outlives their process: all events go into two lists in Redis. */
export function eventRecorderIn(redis: Redis, list: string) {
  const publishers: Publishers = {
    publishRoom: (event) => redis.rpush(`${list}:room`, JSON.stringify(event)),
    publishUsers: (type, recipients) =>
      redis.rpush(
        `${list}:private`,
        ...recipients.map(({ userId, data }) => JSON.stringify({ userId, type, data })),
      ),
  };
  return {
    publishers,
    async events(): Promise<PublishedEvents> {
      const [room, privateEvents] = await Promise.all([
        redis.lrange(`${list}:room`, 0, -1),
        redis.lrange(`${list}:private`, 0, -1),
      ]);
      return {
        room: room.map((one): RoomEvent => JSON.parse(one)),
        privateEvents: privateEvents.map((one): PrivateEvent => JSON.parse(one)),
      };
    },
    forget: () => redis.del(`${list}:room`, `${list}:private`),
  };
}

/**
 * Checks the room events of these actors, or of all, against their histories: a reader that drops events that aren't newer gets
 * every change once and in order.
 */
export async function expectRoomEventsInOrder(
  db: Db,
  { room }: PublishedEvents,
  actors?: string[],
): Promise<number> {
  const histories = await historiesIn(db, actors);
  const read = new Map<string, RoomEvent[]>();
  for (const event of room) {
    const { ref, version, n } = event.actor;
    const events = read.get(ref) ?? [];
    const last = events.at(-1)?.actor;
    const isNewer = !last || version > last.version || (version === last.version && n > last.n);
    if (isNewer) read.set(ref, [...events, event]);
  }
  let events = 0;
  for (const [actor, history] of histories) {
    const due = history.flatMap(announced);
    const had = (read.get(actor) ?? []).map(({ actor: { version }, type }) => `${version} ${type}`);
    expect(had, `what the room read of ${actor}`).deep.equal(due);
    events += due.length;
  }
  return events;
}

/** The events that announce a raid's states, in both rooms. */
const RAID_NEWS: Record<string, string[]> = {
  pending: ["raid.pending", "raid.pending"],
  active: ["raid.go", "raid.incoming"],
  cancelled: ["raid.cancelled", "raid.cancelled"],
};

/** The room event that a change of state makes, if any. */
function announced({ actor, version, event, from, to }: HistoryDoc): string[] {
  const [before, after] = [from?.split(".")[0], to.split(".")[0]];
  if (before === after) return [];
  if (actor.startsWith("prediction:")) {
    return [`${version} prediction.${after === "active" ? "opened" : after}`];
  }
  if (actor.startsWith("poll:"))
    return [`${version} ${after === "active" ? "chat.poll" : "chat.poll_ended"}`];
  if (actor.startsWith("raid:")) return RAID_NEWS[after ?? ""]?.map((type) => `${version} ${type}`) ?? [];
  if (actor.startsWith("report:")) return [];
  if (actor.startsWith("redemption:"))
    return isOwnEnd(event, before) ? [`${version} redemption.updated`] : [];
  if (after === "live" && before === "starting") return [`${version} stream.live`];
  return after === "offline" && (before === "live" || before === "interrupted")
    ? [`${version} stream.offline`]
    : [];
}

/** When a reward is deleted, its redemptions are announced by the reward. */
const isOwnEnd = (event: string, before: string | undefined) =>
  before !== undefined && event !== "rewardDeleted";

/**
 * Checks users' private events of a settled prediction against the stores: each bettor got the own result, and each movement of
 * points by it, at least once and never with different figures.
 */
export async function expectPrivateEvents(
  db: Db,
  { privateEvents }: PublishedEvents,
  predictionId: string,
): Promise<void> {
  const prediction = await db.collection<PredictionDoc>("predictions").findOne({ _id: predictionId });
  const bets = await db.collection<BetDoc>("bets").find({ predictionId }).sort({ _id: 1 }).toArray();
  const entries = await db.collection<LedgerDoc>("ledger").find({ ref: predictionId }).toArray();
  const dues = duesOf(bets, prediction?.resolvedOutcomeId ?? null);
  const due = new Set([
    ...bets.map(({ _id, userId, outcomeId, amount }) => {
      const payout = dues.get(_id)?.amount ?? 0;
      const data = { prediction_id: predictionId, outcome_id: outcomeId, amount, payout };
      return JSON.stringify({ userId, type: "prediction.result", data });
    }),
    ...entries.map(({ userId, channelUserId, balanceAfter, delta, reason, seq: version }) => {
      const data = { channel_user_id: channelUserId, balance: balanceAfter, delta, reason, version };
      return JSON.stringify({ userId, type: "points.changed", data });
    }),
  ]);
  const channels = new Set(entries.map((entry) => entry.channelUserId));
  const mine = privateEvents.filter(
    ({ data }) => data.prediction_id === predictionId || channels.has(String(data.channel_user_id)),
  );
  expect(new Set(mine.map((one) => JSON.stringify(one))), `private events of ${predictionId}`).deep.equal(
    due,
  );
}
