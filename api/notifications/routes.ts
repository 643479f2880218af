import type { Notifications } from "../../actors/notifications/notifications.ts";
import type { NotificationPreferencesFeature } from "../../actors/notifications/preferences.ts";
import type { Unsubscribing } from "../../actors/notifications/unsubscribing.ts";
import type { Operations } from "../http/bind.ts";

type Deps = {
  notifications: Notifications;
  notificationPreferences: NotificationPreferencesFeature;
  unsubscribing: Pick<Unsubscribing, "unsubscribe">;
};

export function notificationRoutes(
  { bind, bindPage }: Operations,
  { notifications, notificationPreferences: preferences, unsubscribing }: Deps,
): void {
  bindPage("listNotifications", ({ caller }, { skip, limit }) =>
    notifications.page(caller.userId, skip, limit),
  );

  bind("countUnreadNotifications", async ({ caller }) => ({
    unread_count: await notifications.unread(caller.userId),
  }));

  bind("readAllNotifications", ({ caller }) => notifications.readAll(caller.userId));

  bind("readNotification", ({ caller, params }) => notifications.read(caller.userId, params.notification_id));

  bind("deleteNotification", ({ caller, params }) =>
    notifications.remove(caller.userId, params.notification_id),
  );

  bind("unsubscribeFromMails", ({ query }) => unsubscribing.unsubscribe(query.token));

  bind("getNotificationPreferences", ({ caller }) => preferences.of(caller.userId));

  bind("setNotificationPreferences", ({ caller, body }) => preferences.set(caller.userId, body));
}
