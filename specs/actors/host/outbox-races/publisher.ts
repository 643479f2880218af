/** A process that publishes sources on request, and runs the relay for others' rows throughout. */
import { createOutbox, type RoomEvent } from "../../../../actors/host/outbox.ts";
import { processClock } from "../../../../base/clock.ts";
import { startOutboxRelay } from "../../../../jobs/host/outbox-relay/relay.ts";
import { createRooms } from "../../../../realtime/rooms/rooms.ts";
import { channelRolesIn } from "../../../../store/mongo/channels/channel-roles.ts";
import { followsIn } from "../../../../store/mongo/channels/follows.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { chatBansIn } from "../../../../store/mongo/chat/chat-bans.ts";
import { connectMongo } from "../../../../store/mongo/driver/connect.ts";
import { connectRedis } from "../../../../store/redis/connect.ts";
import { inputFromParent, sendToParent } from "../../../stress/parent.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { isInput, isOrder } from "./messages.ts";

const { database, redisUrl } = inputFromParent(isInput);
const mongo = await connectMongo({
  url: process.env.MONGODB_URL ?? "",
  database,
  selectionTimeoutMs: 5_000,
  maxPoolSize: 20,
});
const redis = connectRedis({ url: redisUrl, deadlineMs: 500, onError: () => undefined });
await redis.connect();

const log = quietLog();
const rooms = createRooms({
  redis,
  mongo: mongo.db,
  streams: streamsIn(mongo.db),
  grantedRoles: channelRolesIn(mongo.db),
  chatBans: chatBansIn(mongo.db),
  follows: followsIn(mongo.db),
  log,
});

let untilDeath: number | null = null;

async function publishRoom(event: RoomEvent): Promise<void> {
  const { published } = await rooms.publish(event);
  if (!published) sendToParent({ repeated: true });
  if (untilDeath !== null && --untilDeath === 0) {
    process.kill(process.pid, "SIGKILL");
    // The signal may arrive late; the row must not be deleted before.
    await new Promise(() => undefined);
  }
}

const outbox = createOutbox({
  mongo,
  clock: processClock,
  log,
  publishRoom,
  publishUsers: () => Promise.reject(new Error("no user receives anything here")),
});
startOutboxRelay({ outbox, log, intervalMs: 100, ageMs: 150 });

process.on("message", (order) => {
  if (!isOrder(order)) throw new Error("this is no order");
  if ("publish" in order) outbox.publishSoon(order.publish);
  else untilDeath = order.dieAfter;
});
sendToParent({ ready: true });
