import { nullIfUnavailable } from "../../base/failures/unavailable.ts";
import { newId } from "../../base/ids.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Notification, UserEvents as UserEventData } from "../../contract/wire.ts";
import type { UserEvents } from "../../realtime/rooms/user-events.ts";
import type { CursorPage, Range } from "../../store/mongo/driver/page.ts";
import { notificationsIn } from "../../store/mongo/notifications/notifications.ts";
import { createDelivery, type DeliveryDeps } from "./delivery.ts";
import { createNotificationFanOut, type FanOutDeps } from "./fan-out.ts";
import { createFollowedEvents, type FollowedEventDeps } from "./followed-events.ts";
import { createNotificationViews, type ViewDeps } from "./view.ts";

export type NotificationDeps = Omit<FanOutDeps, "views" | "followedEvents"> &
  FollowedEventDeps &
  Omit<DeliveryDeps, "views"> &
  ViewDeps & { userEvents: Pick<UserEvents, "publish"> };

export type Notifications = ReturnType<typeof createNotifications>;

/** Users' lists of notifications. */
export function createNotifications(deps: NotificationDeps) {
  const { mongo, userEvents } = deps;
  const notifications = notificationsIn(mongo.db);
  const views = createNotificationViews(deps);

  /** Best effort: a socket that misses the event gets the count with the next one. */
  async function publishUnread(userId: string): Promise<void> {
    const data: UserEventData["notification.unread"] = { unread_count: await notifications.unread(userId) };
    const source = { ref: `notifications-read:${newId()}`, version: 0, n: 0 };
    await nullIfUnavailable(() => userEvents.publish("notification.unread", [{ userId, data }], source));
  }

  return {
    fanOut: createNotificationFanOut({ ...deps, views, followedEvents: createFollowedEvents(deps) }).fanOut,
    deliver: createDelivery({ ...deps, views }).deliver,

    async page(userId: string, range: Range): Promise<CursorPage<Notification>> {
      const { items, ...page } = await notifications.page(userId, range);
      return { ...page, items: await views(items) };
    },

    unread: (userId: string) => notifications.unread(userId),

    async readAll(userId: string): Promise<void> {
      await notifications.readAll(userId);
      await publishUnread(userId);
    },

    /** Throws `not_found`. */
    async read(userId: string, id: number): Promise<void> {
      if (!(await notifications.read(userId, id))) throw new ServiceError("not_found");
      await publishUnread(userId);
    },

    /** Throws `not_found`. */
    async remove(userId: string, id: number): Promise<void> {
      if (!(await notifications.remove(userId, id))) throw new ServiceError("not_found");
      await publishUnread(userId);
    },
  };
}
