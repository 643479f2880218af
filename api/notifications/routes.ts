import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function notificationRoutes(
  { bind, bindPage }: Operations,
  { notifications, notificationPreferences: preferences, unsubscribing }: RouteDeps,
): void {
  bindPage("listNotifications", ({ caller }, range) => notifications.page(caller.userId, range));

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
