import { notificationsCollection } from "../../../store/mongo/notifications/notifications.ts";
import { OTHERS_NOT_FOUND } from "../authorization/expectations.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";

export const notificationRequests: ResourceRequests = {
  requests({ world, people: { user, target } }) {
    // Far above the ids that the job assigns.
    let notifications = 1_000_000;
    return {
      values: {
        notification_id: async () => {
          const _id = ++notifications;
          const event = { kind: "follower" as const, data: { followerId: target.id } };
          const line = {
            userId: user.id,
            type: "follower" as const,
            told: event,
            isRead: false,
            createdAt: new Date(),
          };
          await notificationsCollection.in(world.core.mongo.db).insertOne({ _id, ...line });
          return String(_id);
        },
      },
    };
  },

  expected: { readNotification: OTHERS_NOT_FOUND, deleteNotification: OTHERS_NOT_FOUND },
};
