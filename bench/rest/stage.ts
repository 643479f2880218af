import { randomBytes } from "node:crypto";
import { createAccessTokens } from "../../actors/accounts/tokens/access-tokens.ts";
import { createKeyRing } from "../../actors/accounts/tokens/key-ring.ts";
import { createSealing } from "../../actors/keys/sealing.ts";
import { processClock } from "../../base/clock.ts";
import { HOUR_MS } from "../../base/durations.ts";
import { newId } from "../../base/ids.ts";
import { quietLog } from "../../specs/support/quiet-log.ts";
import { streamDoc } from "../../specs/support/stream-doc.ts";
import type { SessionDoc } from "../../store/mongo/accounts/sessions.ts";
import { signingKeysIn } from "../../store/mongo/accounts/signing-keys.ts";
import type { UserDoc } from "../../store/mongo/accounts/users.ts";
import type { ChannelRoleDoc } from "../../store/mongo/channels/channel-roles.ts";
import { streamTitleOf, streamTitlesCollection } from "../../store/mongo/channels/stream-titles.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import type { CategoryDoc } from "../../store/mongo/discovery/categories.ts";
import { connectMongo } from "../../store/mongo/driver/connect.ts";
import { searchableBy } from "../../store/mongo/driver/searchable.ts";
import { migrate } from "../../store/mongo/schema/migrate.ts";
import { giveLives } from "./viewers-lives.ts";

const LIVE = 100;
/** The users who talk are VIPs, who may send 100 messages in 30 s; nobody may send more than 600 requests a minute. */
const PEOPLE = 2_000;

/** Somebody who is signed in; talks in one of the channels. */
export type Person = { userId: string; username: string; sessionId: string; streamId: string };
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A database for one run: live channels and signed-in people, written as they are kept. */
export async function openStage() {
  const { MONGODB_URL: url } = process.env;
  if (!url) throw new Error("MONGODB_URL is missing; `npm run bench` starts a MongoDB and sets it.");
  const database = `livecore_bench_${process.pid}_rest`;
  const mongo = await connectMongo({ url, database, selectionTimeoutMs: 5_000, maxPoolSize: 4 });
  const { db } = mongo;
  await migrate(mongo, { clock: processClock, log: quietLog() });

  const categories = await db.collection<CategoryDoc>("categories").find().limit(10).toArray();
  const owners = Array.from({ length: LIVE }, (_, i) => userDoc(`owner_${i}`));
  const streams = owners.map(({ _id: userId }, i) =>
    streamDoc({
      userId,
      roomId: i + 1,
      name: `A channel with a title of a usual length, number ${i}`,
      isLive: true,
      liveSince: new Date(),
      sessionId: newId(),
      viewerCount: 1_000 - i,
      categoryId: categories[i % categories.length]?._id ?? null,
      language: "en",
      tags: ["music", "talk"],
    }),
  );
  const users = Array.from({ length: PEOPLE }, (_, i) => userDoc(`viewer_${i}`));
  const people = users.map(({ _id: userId, username }, i): Person => {
    const streamId = streams[i % streams.length]?._id ?? "";
    return { userId, username, sessionId: newId(), streamId };
  });
  await db.collection<UserDoc>("users").insertMany([...owners, ...users]);
  await db.collection<StreamDoc>("streams").insertMany(streams);
  await streamTitlesCollection.in(db).insertMany(streams.map((stream) => streamTitleOf(stream, 0)));
  await db.collection<SessionDoc>("sessions").insertMany(people.map(sessionOf));
  await db.collection<ChannelRoleDoc>("channel_roles").insertMany(people.map(vipOf));
  await giveLives(db, {
    viewers: people,
    owners: streams.map(({ _id: streamId, userId, categoryId }) => ({ streamId, userId, categoryId })),
  });

  const secret = () => randomBytes(32).toString("hex");
  const masterKey = secret();
  const keyRing = createKeyRing({
    keys: signingKeysIn(db),
    sealing: createSealing(masterKey),
    clock: processClock,
    log: quietLog(),
    audit: () => undefined,
  });
  const tokens = createAccessTokens({ keyRing, clock: processClock });

  return {
    mongo,
    database,
    people,
    usernames: owners.map(({ username }) => username),
    streamIds: streams.map(({ _id }) => _id),
    /** Good for 15 minutes. */
    token: (person: Person) => tokens.issue(person),
    /** For a worker of the service, as in production; it lacks the Redis and the ports. */
    env: {
      NODE_ENV: "production",
      RATE_LIMIT_FACTOR: "10000",
      MONGODB_URL: url,
      MONGODB_DATABASE: database,
      INGEST_KEYS: secret(),
      MASTER_KEY: masterKey,
      EDGE_KEYS: secret(),
      SMTP_URL: "smtp://127.0.0.1:1",
      MAIL_FROM: "bench@livecore.example",
      PUBLIC_URL: "https://live.example",
    },
    async close(): Promise<void> {
      await db.dropDatabase();
      await mongo.close();
    },
  };
}

function userDoc(username: string): UserDoc {
  const now = new Date();
  return {
    _id: newId(),
    username,
    usernameTitle: username,
    usernameChangedAt: null,
    email: `${username}@example.com`,
    emailKey: `${username}@example.com`,
    emailVerifiedAt: now,
    passwordHash: "none",
    imageUrl: "https://cdn.example/face.webp",
    bannerUrl: null,
    bio: "Somebody with a line or two about what happens here and when.",
    isVerified: false,
    isStaff: false,
    status: "active" as const,
    socialLinks: { twitter: "https://twitter.com/somebody" },
    seoTags: {},
    createdAt: now,
    updatedAt: now,
    search: searchableBy(username, "name", 0),
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

const vipOf = ({ userId, streamId }: Person): ChannelRoleDoc => ({
  _id: `${streamId}:${userId}`,
  streamId,
  userId,
  role: "vip" as const,
  grantedBy: userId,
  createdAt: new Date(),
});
