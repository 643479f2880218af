/**
 * Fans facts out to users' lists of notifications (docs/notifications.md):
 * 1. First the facts for single users that are due, in batches, the oldest first.
 * 2. Then one batch of followers for each of a few channels that went live, those that have waited longest first. This is
 *    throttled, so that the store has capacity for others. New facts for single users are handled between the batches.
 * 3. The list entries, the fact's mark (or its cursor in the followers), the event for sockets, and the deliveries by push and
 *    mail (delivery.ts) are one transaction. So each user is notified once, even if a worker dies or another one was faster.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import type { Clock } from "../../base/clock.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/durations.ts";
import { Conflict } from "../../base/failures/conflict.ts";
import type { Log } from "../../base/log.ts";
import { blocksIn } from "../../store/mongo/channels/blocks.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { countersIn } from "../../store/mongo/driver/counters.ts";
import { inTransaction } from "../../store/mongo/driver/transaction.ts";
import { followersBefore } from "../../store/mongo/notifications/followers-before.ts";
import {
  type DeliveryWay,
  type NotificationDeliveryDoc,
  notificationDeliveriesIn,
} from "../../store/mongo/notifications/notification-deliveries.ts";
import {
  isListed,
  type Listed,
  type NotificationFactDoc,
  notificationFactsIn,
  typedFact,
  typeOf,
} from "../../store/mongo/notifications/notification-facts.ts";
import {
  type NotificationPreferencesDoc,
  notificationPreferencesIn,
} from "../../store/mongo/notifications/notification-preferences.ts";
import {
  MAX_NOTIFICATIONS,
  type NotificationCounts,
  type NotificationDoc,
  notificationsIn,
} from "../../store/mongo/notifications/notifications.ts";
import { pushDevicesIn } from "../../store/mongo/notifications/push-devices.ts";
import type { Outbox } from "../host/outbox.ts";
import { createDecisionMails, type DecisionMailDeps } from "./decision-mails.ts";
import type { FollowedEvents } from "./followed-events.ts";
import type { Pushes } from "./push/pushes.ts";
import { quietUntil } from "./quiet-hours.ts";
import type { Views } from "./view.ts";

/** Facts per transaction. */
const FACTS_BATCH = 200;
/** Channels that went live per round, and followers of each. */
const CHANNELS_PER_ROUND = 4;
const FOLLOWERS_BATCH = 500;
/**
 * The least time from the start of one full batch of followers to the next, so that others get most of the store however fast it
 * is. For a smaller batch it is proportionally shorter, so that many small channels don't delay a large one.
 */
const PACE_MS = 150;
/** The least pause after a full batch, also if it took PACE_MS or longer; shorter for a smaller batch, too. */
const MIN_PAUSE_MS = 30;
/** Rounds per run; the next run continues. */
const MAX_ROUNDS = 12;
/** How often to log that facts wait for a newer release. */
const WARN_INTERVAL_MS = MINUTE_MS;
/** Followers aren't notified of a broadcast that started longer ago. */
const LIVE_MAX_AGE_MS = 6 * HOUR_MS;
/** Older facts only go to lists, without push, mail or an event in the room: the fan-out had stopped, or didn't exist yet. */
const DELIVERY_MAX_AGE_MS = DAY_MS;

export type FanOutDeps = {
  mongo: Mongo;
  outbox: Pick<Outbox, "write" | "publish">;
  clock: Clock;
  views: Views;
  followedEvents: FollowedEvents;
  /** `canSend`: whether this process has a push service. */
  pushes: Pick<Pushes, "canSend">;
  log: Log;
  mails: DecisionMailDeps["mails"];
};

type Line = { userId: string; fact: Listed; at: Date };
/** By user id; users who never set any have no entry. */
type Preferences = ReadonlyMap<string, NotificationPreferencesDoc>;

export function createNotificationFanOut(deps: FanOutDeps) {
  const { mongo, outbox, clock, views, followedEvents, pushes, mails, log } = deps;
  const facts = notificationFactsIn(mongo.db);
  const notifications = notificationsIn(mongo.db);
  const preferences = notificationPreferencesIn(mongo.db);
  const deliveries = notificationDeliveriesIn(mongo.db);
  const devices = pushDevicesIn(mongo.db);
  const blocks = blocksIn(mongo.db);
  const ids = countersIn(mongo.db, FOLLOWERS_BATCH);
  let warnedAt = Number.NEGATIVE_INFINITY;
  const mailDecisions = createDecisionMails({ mongo, mails });

  const isRecent = ({ createdAt }: { createdAt: Date }) => clock.now() - +createdAt <= DELIVERY_MAX_AGE_MS;

  async function preferencesOf(lines: Line[]): Promise<Preferences> {
    const set = await preferences.findMany([...new Set(lines.map(({ userId }) => userId))]);
    return new Map(set.map((one) => [one._id, one]));
  }

  /** Drops types that the user has switched off, and acts of people where either of the two blocks the other. */
  async function wanted(lines: Line[], set: Preferences): Promise<Line[]> {
    const on = lines.filter(({ userId, fact }) => !set.get(userId)?.off.includes(typeOf(fact)));
    const pairs = on.flatMap((line) => {
      const one = doneBy(line.fact);
      return one === null ? [] : [{ one, other: line.userId, line }];
    });
    if (pairs.length === 0) return on;
    const allowed = new Set((await blocks.withoutBlocks(pairs)).map(({ line }) => line));
    return on.filter((line) => doneBy(line.fact) === null || allowed.has(line));
  }

  async function countsOf(userIds: string[], session: ClientSession): Promise<NotificationCounts[]> {
    const counts = await notifications.standings(userIds, session);
    const over = counts.filter(({ total }) => total > MAX_NOTIFICATIONS).map(({ _id }) => _id);
    if (over.length === 0) return counts;
    for (const userId of over) await notifications.trim(userId, session);
    return notifications.standings(userIds, session);
  }

  /** The deliveries by push and mail, due after the receiver's quiet hours. */
  async function deliveriesOf(all: NotificationDoc[], set: Preferences): Promise<NotificationDeliveryDoc[]> {
    const now = new Date(clock.now());
    const docs = all.filter(isRecent);
    const isPushed = ({ userId }: NotificationDoc) => set.get(userId)?.pushEnabled ?? true;
    const pushed = pushes.canSend ? docs.filter(isPushed).map(({ userId }) => userId) : [];
    const reached = new Set(pushed.length > 0 ? await devices.usersWithEnabled([...new Set(pushed)]) : []);
    return docs.flatMap(({ _id: notificationId, userId, type, createdAt }) => {
      const own = set.get(userId);
      const ways: DeliveryWay[] = [
        ...(reached.has(userId) ? (["push"] as const) : []),
        ...(own?.emailEnabled ? (["mail"] as const) : []),
      ];
      if (ways.length === 0) return [];
      const dueAt = (own && quietUntil(own, now)) ?? createdAt;
      const doc = { notificationId, userId, type, createdAt, dueAt, doneAt: null, messageId: null };
      return ways.map((way) => ({ _id: `${way}:${notificationId}`, way, ...doc }));
    });
  }

  /**
   * Throws `Conflict`, and writes nothing, when `mark` returns false: another process was faster. Resolves after the events are
   * published: back-pressure that keeps batches from coming faster than sockets take them.
   */
  async function commit(all: Line[], mark: (session: ClientSession) => Promise<boolean>): Promise<void> {
    const set = await preferencesOf(all);
    const lines = await wanted(all, set);
    const docs: NotificationDoc[] = [];
    for (const { userId, fact, at: createdAt } of lines) {
      const _id = await ids.take("notifications");
      docs.push({ _id, userId, type: typeOf(fact), told: fact, isRead: false, createdAt });
    }
    const [shown, delivered] = [await views(docs), await deliveriesOf(docs, set)];
    const actor = `notifications:${docs[0]?._id}`;
    await inTransaction(mongo.client, async (session) => {
      if (!(await mark(session))) throw new Conflict();
      if (docs.length === 0) return;
      await notifications.insert(docs, session);
      if (delivered.length > 0) await deliveries.insert(delivered, session);
      const counts = await countsOf([...new Set(docs.map(({ userId }) => userId))], session);
      const unread = new Map(counts.map((one) => [one._id, one.unread]));
      const users = shown.map((notification) => {
        const { user_id: userId } = notification;
        return { userId, data: { notification, unread_count: unread.get(userId) ?? 0 } };
      });
      await outbox.write(
        [{ actor, version: 1, n: 0, target: { users }, type: "notification", data: {} }],
        session,
      );
    });
    if (docs.length > 0) await outbox.publish(actor);
  }

  async function notifyUsers(): Promise<boolean> {
    const due = await facts.due(false, FACTS_BATCH);
    if (due.length === 0) return false;
    const lines = due.flatMap((fact) => linesOf(fact, [fact.userId]));
    const dueIds = due.map(({ _id }) => _id);
    const toRooms = await followedEvents(due.filter(isRecent));
    await commit(lines, async (session) => {
      const marked = await facts.markListed(dueIds, new Date(clock.now()), session);
      if (marked !== dueIds.length) return false;
      await mailDecisions(due, session);
      if (toRooms.length > 0) await outbox.write(toRooms, session);
      return true;
    });
    await Promise.all([...new Set(toRooms.map(({ actor }) => actor))].map(outbox.publish));
    return true;
  }

  /** Notifies one batch of followers. Returns its size as a share of a full batch, 0 to 1. */
  async function notifyFollowerBatch(fact: NotificationFactDoc): Promise<number> {
    const { userId, createdAt, toldUpTo: after = null } = fact;
    const isLate = clock.now() - +createdAt > LIVE_MAX_AGE_MS;
    const some = isLate
      ? []
      : await followersBefore(mongo.db, userId, { at: createdAt, after, limit: FOLLOWERS_BATCH });
    const last = some.length === FOLLOWERS_BATCH ? some.at(-1) : undefined;
    const toldUpTo = last ? { createdAt: last.createdAt, followId: last._id } : null;
    const followerIds = some.filter(({ isMuted }) => !isMuted).map(({ followerId }) => followerId);
    await commit(linesOf(fact, followerIds), (session) =>
      facts.recordTurn(fact, { at: new Date(clock.now()), toldUpTo }, session),
    );
    return some.length / FOLLOWERS_BATCH;
  }

  async function notifyFollowers(): Promise<boolean> {
    const due = await facts.due(true, CHANNELS_PER_ROUND);
    for (const [n, fact] of due.entries()) {
      if (n > 0) await notifyUsers();
      const begun = performance.now();
      const share = await notifyFollowerBatch(fact);
      await pause(Math.max(PACE_MS * share - (performance.now() - begun), MIN_PAUSE_MS * share));
    }
    return due.length > 0;
  }

  /** Facts of unknown kinds wait for a release that knows them; a TTL removes them after 90 days. */
  async function warnOfUnknown(): Promise<void> {
    if (clock.now() - warnedAt < WARN_INTERVAL_MS) return;
    warnedAt = clock.now();
    const kind = await facts.unknownKind();
    if (kind !== null)
      log.warn({ kind }, "notifications of a kind that this release doesn't know wait for one that does");
  }

  return {
    /** Ends when nothing is due, after MAX_ROUNDS rounds, or when another worker may have started. */
    async fanOut(isSure: () => boolean = () => true): Promise<void> {
      await warnOfUnknown();
      if (!(await facts.hasDue())) return;
      for (let turn = 0; turn < MAX_ROUNDS && (turn === 0 || isSure()); turn++) {
        try {
          const hasMore = [await notifyUsers(), await notifyFollowers()];
          if (!hasMore.includes(true)) return;
        } catch (err) {
          if (err instanceof Conflict) return;
          throw err;
        }
      }
    },
  };
}

function linesOf(row: NotificationFactDoc, userIds: string[]): Line[] {
  const fact = typedFact(row);
  return isListed(fact) ? userIds.map((userId) => ({ userId, fact, at: row.createdAt })) : [];
}

/** The acting user, if a block suppresses the notification; notifications about money are never suppressed. */
function doneBy({ kind, data }: Listed): string | null {
  if (kind === "follower") return data.followerId;
  if (kind === "raid") return data.sourceUserId;
  if (kind === "clip") return data.creatorId;
  return kind === "mention" ? data.authorId : null;
}
