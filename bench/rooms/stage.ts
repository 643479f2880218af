import { randomBytes } from "node:crypto";
import { createTickets } from "../../actors/accounts/tokens/tickets.ts";
import { processClock } from "../../base/clock.ts";
import { HOUR_MS } from "../../base/durations.ts";
import { newId } from "../../base/ids.ts";
import type { BlockedTerm } from "../../realtime/rooms/config/terms.ts";
import { quietLog } from "../../specs/support/quiet-log.ts";
import { streamDoc } from "../../specs/support/stream-doc.ts";
import { userDoc } from "../../specs/support/user-doc.ts";
import type { SessionDoc } from "../../store/mongo/accounts/sessions.ts";
import type { UserDoc } from "../../store/mongo/accounts/users.ts";
import type { ChannelRoleDoc } from "../../store/mongo/channels/channel-roles.ts";
import type { FollowDoc } from "../../store/mongo/channels/follows.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import type { BlockedTermDoc } from "../../store/mongo/chat/blocked-terms.ts";
import { connectMongo } from "../../store/mongo/driver/connect.ts";
import { type ChatModesDoc, defaultChatModes } from "../../store/mongo/host/chat-modes.ts";
import { migrate } from "../../store/mongo/schema/migrate.ts";
import type { OwnRedis } from "./own-redis.ts";

/** Every rule of a room at once. Shield is a stricter setting of the same ones. */
export const EVERY_MODE: ChatModesDoc = {
  ...defaultChatModes,
  slow: true,
  slowSeconds: 1,
  followersOnly: true,
  followersMinutes: 10,
  emoteOnly: true,
  uniqueChat: true,
};

export type Person = { userId: string; username: string; sessionId: string };

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A database for all runs of the bench: rooms and people are written into it as they are kept, not signed up. */
export async function openStage() {
  const { MONGODB_URL } = process.env;
  if (!MONGODB_URL) throw new Error("MONGODB_URL is missing; `npm run bench` starts a MongoDB and sets it.");
  const database = `livecore_bench_${process.pid}_rooms`;
  const mongo = await connectMongo({
    url: MONGODB_URL,
    database,
    selectionTimeoutMs: 5_000,
    maxPoolSize: 20,
  });
  const { db } = mongo;
  await migrate(mongo, { clock: processClock, log: quietLog() });
  const secret = () => randomBytes(32).toString("hex");
  let made = 0;

  return {
    mongo,
    /** For a worker of the service; it lacks the Redis and the ports. */
    env: {
      NODE_ENV: "test",
      LOG_LEVEL: "warn",
      RATE_LIMIT_FACTOR: "1000",
      MONGODB_URL,
      MONGODB_DATABASE: database,
      INGEST_KEYS: secret(),
      MASTER_KEY: secret(),
      EDGE_KEYS: secret(),
    },

    async rooms(count: number, modes: ChatModesDoc = defaultChatModes): Promise<StreamDoc[]> {
      const streams = Array.from({ length: count }, () => streamDoc({ modes, roomId: 1_000_000 + ++made }));
      await db.collection<StreamDoc>("streams").insertMany(streams);
      return streams;
    },

    /** Each has these terms. */
    async block(streams: StreamDoc[], terms: BlockedTerm[]): Promise<void> {
      const docs = streams.flatMap(({ _id: streamId, userId: channelId }) =>
        terms.map((term) => ({
          _id: ++made,
          streamId,
          channelId,
          ...term,
          size: 0,
          createdBy: channelId,
          createdAt: new Date(),
        })),
      );
      await db.collection<BlockedTermDoc>("blocked_terms").insertMany(docs);
      const only = { _id: { $in: streams.map(({ _id }) => _id) } };
      await db.collection<StreamDoc>("streams").updateMany(only, { $set: { chatConfigVersion: 1 } });
    },

    /** People with an account and a session each. */
    async people(count: number): Promise<Person[]> {
      const people = Array.from({ length: count }, () => ({
        userId: newId(),
        sessionId: newId(),
        username: `u${String(++made).padStart(7, "0")}`,
      }));
      if (count > 0) {
        const accounts = people.map(({ userId: _id, username }) =>
          userDoc({ _id, username, usernameTitle: username, emailVerifiedAt: new Date() }),
        );
        await db.collection<UserDoc>("users").insertMany(accounts);
        await db.collection<SessionDoc>("sessions").insertMany(people.map(sessionOf));
      }
      return people;
    },

    /** Each follows the room's owner since an hour. */
    async follow(people: Person[], { userId: followingId }: StreamDoc): Promise<void> {
      const createdAt = new Date(Date.now() - HOUR_MS);
      await db.collection<FollowDoc>("follows").insertMany(
        people.map(({ userId: followerId }) => ({
          _id: `${followerId}:${followingId}`,
          id: newId(),
          followerId,
          followingId,
          createdAt,
        })),
      );
    },

    /** VIPs may say 100 messages in 30 s: a room can't be saturated by less. */
    async makeVips(people: Person[], { _id: streamId, userId: grantedBy }: StreamDoc): Promise<void> {
      await db.collection<ChannelRoleDoc>("channel_roles").insertMany(
        people.map(({ userId }) => ({
          _id: `${streamId}:${userId}`,
          streamId,
          userId,
          role: "vip" as const,
          grantedBy,
          createdAt: new Date(),
        })),
      );
    },

    /** Good for 30 s. */
    tickets(people: Person[], { client }: OwnRedis): Promise<string[]> {
      const tickets = createTickets({ redis: client, clock: processClock });
      return Promise.all(
        people.map((person) => tickets.issue({ kind: "user", via: "bearer", grant: null, ...person })),
      );
    },

    async close(): Promise<void> {
      await db.dropDatabase();
      await mongo.close();
    },
  };
}

function sessionOf({ userId, sessionId }: Person): SessionDoc {
  const now = new Date();
  return {
    _id: sessionId,
    userId,
    generation: 1,
    tokenHash: sessionId,
    userAgent: null,
    ip: "127.0.0.1",
    createdAt: now,
    rotatedAt: now,
    lastSeenAt: now,
    endedAt: null,
    endReason: null,
    expiresAt: new Date(Date.now() + HOUR_MS),
  };
}
