/**
 * Makes lines of lists out of facts (docs/notifications.md):
 * 1. what is due for single users, a batch at a time, the oldest first;
 * 2. then some followers of each of a few channels that went live, those that had no turn for longest, at a pace that leaves the
 *    store to others, and before each what has come for single users;
 * 3. the lines, the mark that the fact has them (or up to whom), the event for sockets, and what is to be pushed and mailed
 *    (delivering.ts) are one transaction: whoever dies or is overtaken, each is told once.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import { blocksIn } from "../../store/mongo/blocks.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { countersIn } from "../../store/mongo/counters.ts";
import {
  type DeliveryWay,
  type NotificationDeliveryDoc,
  notificationDeliveriesIn,
} from "../../store/mongo/notification-deliveries.ts";
import {
  isListed,
  type Listed,
  type NotificationFactDoc,
  notificationFactsIn,
  toldOf,
  typeOf,
} from "../../store/mongo/notification-facts.ts";
import {
  type NotificationPreferencesDoc,
  notificationPreferencesIn,
} from "../../store/mongo/notification-preferences.ts";
import {
  MAX_NOTIFICATIONS,
  type NotificationDoc,
  notificationsIn,
  type Standing,
} from "../../store/mongo/notifications.ts";
import { pushDevicesIn } from "../../store/mongo/push-devices.ts";
import { followersBefore } from "../../store/mongo/told-followers.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { Conflict } from "../host/conflict.ts";
import type { Outbox } from "../host/outbox.ts";
import type { Pushes } from "../push/pushes.ts";
import { createDecisionMails, type DecisionMailDeps } from "./decision-mails.ts";
import { quietUntil } from "./quiet-hours.ts";
import type { Views } from "./view.ts";

/** Facts of one transaction. */
const FACTS = 200;
/** Channels that go live, of one turn, and followers of each. */
const CHANNELS = 4;
const FOLLOWERS = 500;
/**
 * From one batch of followers to the next: however fast the store is, others get most of it. Of fewer it is as much less, so
 * that many small channels keep no large one waiting.
 */
const PACE_MS = 150;
/** After one that took as long as that or longer. */
const LEAST_REST_MS = 30;
/** Turns of one run; the next run goes on. */
const TURNS = 12;
/** How often it is said that something waits for a newer release. */
const SAID_MS = 60_000;
/** That somebody went live so long ago isn't told any more. */
const LATE_MS = 6 * 3_600_000;
/** What happened so long ago is in lists alone: whoever told it stood still, or wasn't there yet. */
const OLD_MS = 24 * 3_600_000;

export type TellingDeps = {
  mongo: Mongo;
  outbox: Pick<Outbox, "write" | "publish">;
  clock: Clock;
  views: Views;
  /** Whether this process knows a push service. */
  pushes: Pick<Pushes, "canSend">;
  log: Log;
  mails: DecisionMailDeps["mails"];
};

type Line = { userId: string; told: Listed; at: Date };
/** By user; who never set any has none. */
type Preferences = ReadonlyMap<string, NotificationPreferencesDoc>;

export function createTelling({ mongo, outbox, clock, views, pushes, mails, log }: TellingDeps) {
  const facts = notificationFactsIn(mongo.db);
  const notifications = notificationsIn(mongo.db);
  const preferences = notificationPreferencesIn(mongo.db);
  const deliveries = notificationDeliveriesIn(mongo.db);
  const devices = pushDevicesIn(mongo.db);
  const blocks = blocksIn(mongo.db);
  const ids = countersIn(mongo.db, FOLLOWERS);
  let saidAt = Number.NEGATIVE_INFINITY;
  const mailDecisions = createDecisionMails({ mongo, mails });

  async function preferencesOf(lines: Line[]): Promise<Preferences> {
    const set = await preferences.findMany([...new Set(lines.map(({ userId }) => userId))]);
    return new Map(set.map((one) => [one._id, one]));
  }

  /** Without those that their user has switched off, and what people do whom one of the two blocks. */
  async function wanted(lines: Line[], set: Preferences): Promise<Line[]> {
    const on = lines.filter(({ userId, told }) => !set.get(userId)?.off.includes(typeOf(told)));
    const pairs = on.flatMap((line) => {
      const one = doneBy(line.told);
      return one === null ? [] : [{ one, other: line.userId, line }];
    });
    if (pairs.length === 0) return on;
    const allowed = new Set((await blocks.withoutBlocks(pairs)).map(({ line }) => line));
    return on.filter((line) => doneBy(line.told) === null || allowed.has(line));
  }

  async function standingsOf(userIds: string[], session: ClientSession): Promise<Standing[]> {
    const standings = await notifications.standings(userIds, session);
    const over = standings.filter(({ total }) => total > MAX_NOTIFICATIONS).map(({ _id }) => _id);
    if (over.length === 0) return standings;
    for (const userId of over) await notifications.trim(userId, session);
    return notifications.standings(userIds, session);
  }

  /** What of them is to be pushed and mailed too, after the quiet hours of whom they are for. */
  async function deliveriesOf(all: NotificationDoc[], set: Preferences): Promise<NotificationDeliveryDoc[]> {
    const now = new Date(clock.now());
    const docs = all.filter(({ createdAt }) => +now - +createdAt <= OLD_MS);
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
   * `mark` is false when another process was faster: then nothing happens. Sockets are told before it resolves, so that batches
   * come no faster than these take them.
   */
  async function commit(all: Line[], mark: (session: ClientSession) => Promise<boolean>): Promise<void> {
    const set = await preferencesOf(all);
    const lines = await wanted(all, set);
    const docs: NotificationDoc[] = [];
    for (const { userId, told, at: createdAt } of lines) {
      const _id = await ids.take("notifications");
      docs.push({ _id, userId, type: typeOf(told), told, isRead: false, createdAt });
    }
    const [shown, delivered] = [await views(docs), await deliveriesOf(docs, set)];
    const actor = `notifications:${docs[0]?._id}`;
    await inTransaction(mongo.client, async (session) => {
      if (!(await mark(session))) throw new Conflict();
      if (docs.length === 0) return;
      await notifications.insert(docs, session);
      if (delivered.length > 0) await deliveries.insert(delivered, session);
      const standings = await standingsOf([...new Set(docs.map(({ userId }) => userId))], session);
      const unread = new Map(standings.map((one) => [one._id, one.unread]));
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

  async function tellUsers(): Promise<boolean> {
    const due = await facts.due(false, FACTS);
    if (due.length === 0) return false;
    const lines = due.flatMap((fact) => linesOf(fact, [fact.userId]));
    const dueIds = due.map(({ _id }) => _id);
    await commit(lines, async (session) => {
      const marked = await facts.markListed(dueIds, new Date(clock.now()), session);
      if (marked !== dueIds.length) return false;
      await mailDecisions(due, session);
      return true;
    });
    return true;
  }

  /** How many of a whole batch they were, as a share. */
  async function tellSomeFollowers(fact: NotificationFactDoc): Promise<number> {
    const { userId, createdAt, toldUpTo: after = null } = fact;
    const isLate = clock.now() - +createdAt > LATE_MS;
    const some = isLate
      ? []
      : await followersBefore(mongo.db, userId, { at: createdAt, after, limit: FOLLOWERS });
    const last = some.length === FOLLOWERS ? some.at(-1) : undefined;
    const toldUpTo = last ? { createdAt: last.createdAt, followId: last._id } : null;
    const followerIds = some.map(({ followerId }) => followerId);
    await commit(linesOf(fact, followerIds), (session) =>
      facts.tookTurn(fact, { at: new Date(clock.now()), toldUpTo }, session),
    );
    return some.length / FOLLOWERS;
  }

  async function tellFollowers(): Promise<boolean> {
    const due = await facts.due(true, CHANNELS);
    for (const [n, fact] of due.entries()) {
      if (n > 0) await tellUsers();
      const begun = performance.now();
      const share = await tellSomeFollowers(fact);
      await pause(Math.max(PACE_MS * share - (performance.now() - begun), LEAST_REST_MS * share));
    }
    return due.length > 0;
  }

  /** They wait until a release comes that knows them, and are removed by themselves after 90 days. */
  async function sayUnknown(): Promise<void> {
    if (clock.now() - saidAt < SAID_MS) return;
    saidAt = clock.now();
    const kind = await facts.unknownKind();
    if (kind !== null)
      log.warn({ kind }, "notifications of a kind that this release doesn't know wait for one that does");
  }

  return {
    /** Ends when nothing is due, or after so many turns, or when another worker may have begun. */
    async tell(isSure: () => boolean = () => true): Promise<void> {
      await sayUnknown();
      for (let turn = 0; turn < TURNS && (turn === 0 || isSure()); turn++) {
        try {
          const hasMore = [await tellUsers(), await tellFollowers()];
          if (!hasMore.includes(true)) return;
        } catch (err) {
          if (err instanceof Conflict) return;
          throw err;
        }
      }
    },
  };
}

function linesOf(fact: NotificationFactDoc, userIds: string[]): Line[] {
  const told = toldOf(fact);
  return isListed(told) ? userIds.map((userId) => ({ userId, told, at: fact.createdAt })) : [];
}

/** Who has done what a block keeps away; money is told of in any case. */
function doneBy({ kind, data }: Listed): string | null {
  if (kind === "follower") return data.followerId;
  if (kind === "raid") return data.sourceUserId;
  if (kind === "clip") return data.creatorId;
  return kind === "mention" ? data.authorId : null;
}
