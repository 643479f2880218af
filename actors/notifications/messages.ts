import { DAY_MS, HOUR_MS } from "../../base/durations.ts";
import type { Notification } from "../../contract/wire.ts";
import type {
  DeliveryWay,
  NotificationDeliveryDoc,
} from "../../store/mongo/notifications/notification-deliveries.ts";
import type { PushDeviceDoc } from "../../store/mongo/notifications/push-devices.ts";
import type { PushDoc } from "../../store/mongo/notifications/pushes.ts";
import type { MailRequest } from "../mail/mails.ts";
import { digestOf } from "./digest.ts";

/** After this time, notifications such as "live" or "raid" are outdated. */
const PUSH_USEFUL_MS = 6 * HOUR_MS;
const MAIL_USEFUL_MS = DAY_MS;
/** The most lines in a digest mail; the rest is only counted. */
const LINES = 20;
/** Keep the payload below the limit of push services (4 KiB), for texts in any alphabet. */
const LONGEST_TITLE = 100;
const LONGEST_BODY = 400;
const LONGEST_LINK = 500;

/** One message to a user by one way; it covers one or more notifications. */
export type Message = {
  /** Derived from the first notification, so the same rows give the same id. */
  id: string;
  userId: string;
  way: DeliveryWay;
  deliveryIds: string[];
  title: string;
  body: string;
  link: string | null;
  type: string;
  lines: string[];
};

type Group = readonly { delivery: NotificationDeliveryDoc }[];

/** `shown` holds the notifications of all groups, by id. */
export const messagesOf = (groups: readonly Group[], shown: ReadonlyMap<number, Notification>): Message[] =>
  groups.flatMap((group) => {
    const [first] = group;
    const notifications = group.flatMap(({ delivery }) => shown.get(delivery.notificationId) ?? []);
    const [one] = notifications;
    if (!first || !one) return [];
    const { userId, way, notificationId } = first.delivery;
    const isOne = notifications.length === 1;
    const content = isOne
      ? { title: one.title, body: one.message, link: one.link ?? null, type: one.type }
      : { ...digestOf(notifications.map(({ type }) => type)), link: null, type: "digest" };
    const id = `${way}-${notificationId}`;
    const deliveryIds = group.map(({ delivery }) => delivery._id);
    return [{ id, userId, way, deliveryIds, ...content, lines: notifications.map(({ message }) => message) }];
  });

/** One row per device. */
export const pushesOf = (message: Message, devices: readonly PushDeviceDoc[], now: Date): PushDoc[] =>
  devices.map(({ _id: device }) => ({
    // Ids in BullMQ must not contain a colon. Half of a device's hash is enough to distinguish one user's devices.
    _id: `${message.id}-${device.slice(0, 32)}`,
    userId: message.userId,
    device,
    message: {
      title: message.title.slice(0, LONGEST_TITLE),
      body: message.body.slice(0, LONGEST_BODY),
      link: message.link && message.link.length <= LONGEST_LINK ? message.link : null,
      type: message.type,
      count: message.lines.length,
      collapseId: message.id,
      usefulUntil: new Date(now.getTime() + PUSH_USEFUL_MS),
    },
    state: "waiting",
    tries: 0,
    createdAt: now,
    dueAt: now,
  }));

export function mailOf(
  { id, title, body, link, lines }: Message,
  { _id: userId, email: to, username }: { _id: string; email: string; username: string },
  unsubscribe: string,
  now: Date,
): MailRequest<"notification"> | MailRequest<"notification_digest"> {
  const about = {
    key: `notification:${id}`,
    to,
    userId,
    usefulUntil: new Date(now.getTime() + MAIL_USEFUL_MS),
  };
  if (lines.length === 1)
    return { ...about, template: "notification", data: { username, title, body, link, unsubscribe } };
  const more = Math.max(0, lines.length - LINES);
  const data = { username, summary: body, lines: lines.slice(0, LINES), more, unsubscribe };
  return { ...about, template: "notification_digest", data };
}
