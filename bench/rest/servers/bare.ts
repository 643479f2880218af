/**
 * The same reads and writes behind Express 5 and nothing else: no sign-in, limits, checks, log lines or headers. Who asks is
 * believed (`x-user`). Queries by the driver; a message by the room's own admission, which is the script with its arguments.
 */
import express, { type Request } from "express";
import { ownUserView, publicProfile, userSummary } from "../../../actors/accounts/profile/views.ts";
import { streamCard, streamSummary, streamView } from "../../../actors/channels/view.ts";
import { createRooms } from "../../../realtime/rooms/rooms.ts";
import { quietLog } from "../../../specs/support/quiet-log.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import { channelRolesIn } from "../../../store/mongo/channels/channel-roles.ts";
import type { FollowerCountDoc } from "../../../store/mongo/channels/follower-counts.ts";
import { type FollowDoc, followsIn } from "../../../store/mongo/channels/follows.ts";
import { type StreamDoc, streamsIn } from "../../../store/mongo/channels/streams.ts";
import { chatBansIn } from "../../../store/mongo/chat/chat-bans.ts";
import type { CategoryDoc } from "../../../store/mongo/discovery/categories.ts";
import { connectMongo } from "../../../store/mongo/driver/connect.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { createReads } from "./reads.ts";

const { MONGODB_URL = "", MONGODB_DATABASE = "", REDIS_URL = "" } = process.env;
const mongo = await connectMongo({
  url: MONGODB_URL,
  database: MONGODB_DATABASE,
  selectionTimeoutMs: 3_000,
  maxPoolSize: 50,
});
const { db } = mongo;
const redis = connectRedis({ url: REDIS_URL, deadlineMs: 150, onError: () => undefined });
await redis.connect();
const rooms = createRooms({
  redis,
  mongo: db,
  streams: streamsIn(db),
  grantedRoles: channelRolesIn(db),
  chatBans: chatBansIn(db),
  follows: followsIn(db),
  log: quietLog(),
});

const users = db.collection<UserDoc>("users");
const streams = db.collection<StreamDoc>("streams");
const follows = db.collection<FollowDoc>("follows");
const counts = db.collection<FollowerCountDoc>("follower_counts");
/** The service keeps names of categories for a while too. */
const categories = new Map(
  (await db.collection<CategoryDoc>("categories").find().toArray()).map(({ _id: id, slug, name }) => [
    id,
    { id, slug, name },
  ]),
);
const PUBLIC = { email: 0, emailKey: 0, emailVerifiedAt: 0, passwordHash: 0 };
const callerOf = (req: Request): string | null => req.get("x-user") ?? null;

const app = express();
app.disable("x-powered-by");
app.disable("etag");

app.get("/healthz", (_req, res) => void res.json({ status: "ok" }));

app.get("/v1/users/me", async (req, res) => {
  const user = await users.findOne({ _id: callerOf(req) ?? "" });
  if (user) res.json(ownUserView(user));
  else res.sendStatus(404);
});

app.get("/v1/users/:username", async (req, res) => {
  const user = await users.findOne({ username: req.params.username }, { projection: PUBLIC });
  if (!user) return void res.sendStatus(404);
  const caller = callerOf(req);
  const [stream, parts, follow] = await Promise.all([
    streams.findOne({ userId: user._id }),
    counts.find({ followingId: user._id }).project<{ count: number }>({ count: 1 }).toArray(),
    caller === null ? null : follows.findOne({ _id: `${caller}:${user._id}` }),
  ]);
  if (!stream) return void res.sendStatus(404);
  const followerCount = parts.reduce((sum, { count }) => sum + count, 0);
  const summary = streamSummary(stream, stream.viewerCount, categories);
  res.json(publicProfile(user, { followerCount, isFollowing: follow !== null, stream: summary }));
});

app.get("/v1/streams", async (_req, res) => {
  const [found, total] = await Promise.all([
    streams.find({ isLive: true }).sort({ viewerCount: -1, _id: 1 }).limit(24).toArray(),
    streams.countDocuments({ isLive: true }),
  ]);
  const owners = await users
    .find({ _id: { $in: found.map(({ userId }) => userId) } }, { projection: PUBLIC })
    .toArray();
  const byId = new Map(owners.map((user) => [user._id, userSummary(user)]));
  const items = found.flatMap((stream) => {
    const user = byId.get(stream.userId);
    return user ? [streamCard(stream, stream.viewerCount, { user, categories })] : [];
  });
  res.json({ page: 1, per_page: 24, total, has_more: items.length < total, items });
});

/** Of a banned owner's stream nothing is shown. */
app.get("/v1/streams/:stream_id", async (req, res) => {
  const stream = await streams.findOne({ _id: req.params.stream_id });
  const owner = stream && (await users.findOne({ _id: stream.userId }, { projection: { status: 1 } }));
  if (stream && owner?.status === "active") res.json(streamView(stream, stream.viewerCount));
  else res.sendStatus(404);
});

for (const [path, read] of Object.entries(createReads(mongo)))
  app.get(path, async (req, res) => {
    const { searchParams } = new URL(req.originalUrl, "http://bare.example");
    res.json(await read(callerOf(req), searchParams));
  });

app.post("/v1/chat/:stream_id/messages", express.json(), async (req, res) => {
  const body: { content: string } = req.body;
  const outcome = await rooms.send({
    streamId: req.params.stream_id,
    sender: {
      userId: callerOf(req) ?? "",
      username: req.get("x-name") ?? "",
      sessionId: req.get("x-session") ?? "",
    },
    content: body.content,
    replyToId: null,
    nonce: null,
  });
  if (outcome.ok) res.status(201).json(outcome.message);
  else res.sendStatus(409);
});

process.once("disconnect", () => process.exit(0));
const server = app.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : null });
});
