/**
 * Hands notifications from users' lists over to push and mail (docs/notifications.md):
 * 1. It takes due deliveries in batches, the longest due first.
 * 2. It drops those that are of no use any more: the notification was read or deleted, or the way (push or mail) is switched off
 *    or has no device or mailbox.
 * 3. Those held back by quiet hours or rate limits become due later, and are then sent as one digest.
 * 4. The rows of pushes and mails, and the mark on the deliveries, are one transaction. So each is handed over once, even if a
 *    worker dies or another one was faster.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import { MINUTE_MS } from "../../base/durations.ts";
import { Conflict } from "../../base/failures/conflict.ts";
import { usersIn } from "../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../store/mongo/driver/transaction.ts";
import {
  type DeliveryChange,
  type NotificationDeliveryDoc,
  notificationDeliveriesIn,
} from "../../store/mongo/notifications/notification-deliveries.ts";
import { isListed } from "../../store/mongo/notifications/notification-facts.ts";
import { notificationPreferencesIn } from "../../store/mongo/notifications/notification-preferences.ts";
import { type NotificationDoc, notificationsIn } from "../../store/mongo/notifications/notifications.ts";
import { pushDevicesIn } from "../../store/mongo/notifications/push-devices.ts";
import type { Mails } from "../mail/mails.ts";
import { type Message, mailOf, messagesOf, pushesOf } from "./messages.ts";
import type { Pushes } from "./push/pushes.ts";
import { quietUntil } from "./quiet-hours.ts";
import { decideDelivery, LONGEST_WINDOW_MS, RATE_LIMITS } from "./rate-limits.ts";
import type { Unsubscribing } from "./unsubscribing.ts";
import type { Views } from "./view.ts";

/** Deliveries per transaction. */
const BATCH = 200;
/** Throttle: the pause between two batches, so that users with many devices don't occupy the store. */
const BATCH_PAUSE_MS = 50;
/** Batches per run; the next run continues. */
const MAX_BATCHES = 12;
/** How long a delivery of a kind that only a newer release knows is postponed. */
const UNKNOWN_KIND_DELAY_MS = 10 * MINUTE_MS;

export type DeliveryDeps = {
  mongo: Mongo;
  clock: Clock;
  views: Views;
  mails: Pick<Mails, "request">;
  pushes: Pick<Pushes, "insert">;
  unsubscribing: Pick<Unsubscribing, "tokenFor">;
};

type Waiting = { delivery: NotificationDeliveryDoc; line: NotificationDoc };

export function createDelivery(deps: DeliveryDeps) {
  const { mongo, clock, views, mails, pushes, unsubscribing } = deps;
  const deliveries = notificationDeliveriesIn(mongo.db);
  const notifications = notificationsIn(mongo.db);
  const preferences = notificationPreferencesIn(mongo.db);
  const devices = pushDevicesIn(mongo.db);
  const users = usersIn(mongo.db);

  /** Reads everything that is needed to decide about a batch. */
  async function read(due: NotificationDeliveryDoc[], now: Date) {
    const userIds = [...new Set(due.map(({ userId }) => userId))];
    const mailed = new Set(due.flatMap(({ way, userId }) => (way === "mail" ? [userId] : [])));
    const since = new Date(now.getTime() - LONGEST_WINDOW_MS);
    const [lines, set, sent, enabled, mailboxes] = await Promise.all([
      notifications.unreadAmong(due.map(({ notificationId }) => notificationId)),
      preferences.findMany(userIds),
      deliveries.messagesSince(userIds, since),
      devices.enabledOf(userIds),
      users.mailboxesOf([...mailed]),
    ]);
    return {
      lines: new Map(lines.map((line) => [line._id, line])),
      set: new Map(set.map((one) => [one._id, one])),
      sent,
      devicesOf: groupsOf(enabled, ({ userId }) => userId),
      mailboxes: new Map(mailboxes.map((one) => [one._id, one])),
    };
  }

  type Known = Awaited<ReturnType<typeof read>>;

  /** Decides on one user's deliveries of one way: their changes, and a group for each message that is sent now. */
  function decideOn(rows: NotificationDeliveryDoc[], known: Known, now: Date) {
    const [{ userId, way } = { userId: "", way: "push" as const }] = rows;
    const set = known.set.get(userId);
    const isOn = way === "push" ? (set?.pushEnabled ?? true) : (set?.emailEnabled ?? false);
    const hasRecipient = way === "push" ? known.devicesOf.has(userId) : known.mailboxes.has(userId);
    const waiting: Waiting[] = [];
    const changes: DeliveryChange[] = [];
    for (const delivery of rows) {
      const line = known.lines.get(delivery.notificationId);
      const isWanted = isOn && !set?.off.includes(delivery.type);
      if (line && !isListed(line.told))
        changes.push({ _id: delivery._id, dueAt: new Date(now.getTime() + UNKNOWN_KIND_DELAY_MS) });
      else if (line && isWanted && hasRecipient) waiting.push({ delivery, line });
      else changes.push({ _id: delivery._id, messageId: null });
    }
    const postpone = (until: Date) => {
      changes.push(...waiting.map(({ delivery: { _id } }) => ({ _id, dueAt: until })));
      return { changes, groups: [] };
    };
    const quiet = set ? quietUntil(set, now) : null;
    if (quiet) return postpone(quiet);
    const sentAt = known.sent.filter((one) => one.userId === userId && one.way === way).map(({ at }) => at);
    const decision = decideDelivery(
      waiting.map(({ delivery }) => delivery),
      sentAt,
      RATE_LIMITS[way],
      now,
    );
    if (decision.how === "hold") return postpone(decision.until);
    const groups = decision.how === "digest" ? [waiting] : waiting.map((one) => [one]);
    return { changes, groups };
  }

  async function deliverBatch(): Promise<boolean> {
    const now = new Date(clock.now());
    const due = await deliveries.due(now, BATCH);
    if (due.length === 0) return false;
    const known = await read(due, now);
    const decided = [...groupsOf(due, ({ way, userId }) => `${way}:${userId}`).values()].map((rows) =>
      decideOn(rows, known, now),
    );
    const groups = decided.flatMap((one) => one.groups);
    const shown = await views(groups.flatMap((group) => group.map(({ line }) => line)));
    const messages: Message[] = messagesOf(groups, new Map(shown.map((one) => [one.id, one])));
    const changes = [
      ...decided.flatMap((one) => one.changes),
      ...messages.flatMap(({ id: messageId, deliveryIds }) => deliveryIds.map((_id) => ({ _id, messageId }))),
    ];
    await inTransaction(mongo.client, async (session) => {
      if ((await deliveries.change(changes, now, session)) !== due.length) throw new Conflict();
      const rows = messages.flatMap((message) =>
        message.way === "push" ? pushesOf(message, known.devicesOf.get(message.userId) ?? [], now) : [],
      );
      if (rows.length > 0) await pushes.insert(rows, session);
      for (const message of messages) {
        const mailbox = message.way === "mail" ? known.mailboxes.get(message.userId) : undefined;
        if (!mailbox) continue;
        const mail = mailOf(message, mailbox, unsubscribing.tokenFor(mailbox._id), now);
        await ("lines" in mail.data
          ? mails.request({ ...mail, template: "notification_digest", data: mail.data }, session)
          : mails.request({ ...mail, template: "notification", data: mail.data }, session));
      }
    });
    return true;
  }

  return {
    /** Ends when nothing is due, after MAX_BATCHES batches, or when another worker may have started. */
    async deliver(isSure: () => boolean = () => true): Promise<void> {
      for (let turn = 0; turn < MAX_BATCHES && (turn === 0 || isSure()); turn++) {
        try {
          if (!(await deliverBatch())) return;
          await pause(BATCH_PAUSE_MS);
        } catch (err) {
          if (err instanceof Conflict) return;
          throw err;
        }
      }
    },
  };
}

function groupsOf<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
