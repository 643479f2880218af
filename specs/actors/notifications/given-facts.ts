import type { Db } from "mongodb";
import type { Outbox } from "../../../actors/host/outbox.ts";
import { createSealing } from "../../../actors/keys/sealing.ts";
import { createMailRequests } from "../../../actors/mail/mails.ts";
import { createNotifications, type NotificationDeps } from "../../../actors/notifications/notifications.ts";
import { createUnsubscribing } from "../../../actors/notifications/unsubscribing.ts";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { followsCollection } from "../../../store/mongo/channels/follows.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import {
  type NotificationFact,
  notificationFactsIn,
} from "../../../store/mongo/notifications/notification-facts.ts";
import { notificationsCollection } from "../../../store/mongo/notifications/notifications.ts";
import { pushDevicesCollection } from "../../../store/mongo/notifications/push-devices.ts";
import { type PushDoc, pushesCollection, pushesIn } from "../../../store/mongo/notifications/pushes.ts";
import { MASTER_KEY } from "../../support/core.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openWorld, type World } from "../host/world.ts";

/** The feature as a worker has it, without sockets. Pushes stay rows. */
export const notificationsOf = (
  deps: { mongo: Mongo; outbox: Outbox; clock: Clock; log?: Log } & Partial<Pick<NotificationDeps, "rooms">>,
) =>
  createNotifications({
    log: quietLog(),
    // Nobody has a socket in any room.
    rooms: { connections: { mayHaveSockets: async () => false } },
    ...deps,
    pushes: { canSend: true, insert: pushesIn(deps.mongo.db).insert },
    mails: createMailRequests({ ...deps, sealing: createSealing(MASTER_KEY) }),
    unsubscribing: createUnsubscribing({ ...deps, masterKey: MASTER_KEY }),
    streams: streamsIn(deps.mongo.db),
    directory: {
      usersByIds: async (ids) =>
        new Map((await usersIn(deps.mongo.db).findManyPublic(ids)).map((user) => [user._id, user])),
    },
    publicUrl: "https://livecore.example",
    userEvents: { publish: async () => undefined },
  });

export const followerFact = (userId: string, at: Date): NotificationFact => {
  const followerId = newId();
  return { kind: "follower", ref: followerId, userId, at, data: { followerId } };
};

export const liveFact = (userId: string, at: Date): NotificationFact => {
  const sessionId = newId();
  return { kind: "stream_live", ref: sessionId, userId, at, data: { streamId: newId(), sessionId } };
};

/** Fixtures: committed facts, several at once, and followers. */
export const givenFacts = (db: Db) => ({
  happen: (...facts: NotificationFact[]) => notificationFactsIn(db).insert(facts),

  async followers(channelUserId: string, count: number, createdAt: Date): Promise<string[]> {
    const ids = Array.from({ length: count }, newId);
    const follows = ids.map((followerId) => ({
      _id: `${followerId}:${channelUserId}`,
      id: newId(),
      followerId,
      createdAt,
      followingId: channelUserId,
    }));
    await followsCollection.in(db).insertMany(follows);
    return ids;
  },

  /** A device of each user that can receive pushes. */
  async devices(userIds: readonly string[]): Promise<void> {
    const at = new Date(Date.UTC(2226, 0));
    const docs = userIds.map((userId) => ({
      _id: newId(),
      deviceId: newId(),
      userId,
      sessionId: newId(),
      tokenSealed: "",
      deviceType: "android" as const,
      notificationsEnabled: true,
      lastActive: at,
      expiresAt: at,
    }));
    await pushDevicesCollection.in(db).insertMany(docs);
  },

  /** The pending pushes to these users, oldest first. */
  pushesTo: (userIds: readonly string[]): Promise<PushDoc[]> =>
    pushesCollection
      .in(db)
      .find({ userId: { $in: [...userIds] } })
      .sort({ createdAt: 1, _id: 1 })
      .toArray(),

  /** The users whose lists mention it, each as often as they do. */
  async notifiedAmong(userIds: string[]): Promise<string[]> {
    const lines = await notificationsCollection
      .in(db)
      .find({ userId: { $in: userIds } })
      .toArray();
    return lines.map(({ userId }) => userId).sort();
  },
});

/** A world that is open during this `describe`, and its facts. Use it only in hooks and specs. */
export function setUpFacts() {
  const world = {} as World;
  const given = {} as ReturnType<typeof givenFacts>;
  before(async () => {
    Object.assign(world, await openWorld());
    Object.assign(given, givenFacts(world.mongo.db));
  });
  after(() => world.close());
  return { world, given };
}
