/** Admits messages as fast as one process can, without any socket: the rooms as a library, over its own connection. */
import { createRooms } from "../../../realtime/rooms/rooms.ts";
import { quietLog } from "../../../specs/support/quiet-log.ts";
import { channelRolesIn } from "../../../store/mongo/channels/channel-roles.ts";
import { followsIn } from "../../../store/mongo/channels/follows.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { chatBansIn } from "../../../store/mongo/chat/chat-bans.ts";
import { connectMongo } from "../../../store/mongo/driver/connect.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { DIALECTS } from "../dialects.ts";
import { cpuMs } from "../processes.ts";
import type { Person } from "../stage.ts";

export type AdmitterSetting = {
  mongodbUrl: string;
  database: string;
  redisUrl: string;
  redisPid: number;
  /** Sender i talks in room i % rooms. */
  rooms: string[];
  senders: Person[];
  inFlight: number;
  ms: number;
};

type Admissions = { admitted: number; ms: number; cpuMs: { worker: number; redis: number } };

/** `first`: everybody's first message, before which nothing is known of anybody. */
export type AdmitterFigures = { first: Admissions; later: Admissions; refused: number };

/** Nobody may say more than one message a second. */
const BREATH_MS = 1_050;
const FIRST_WITHIN_MS = 60_000;

process.once("disconnect", () => process.exit(0));
const setting = await new Promise<AdmitterSetting>((resolve) => process.once("message", resolve));
const mongo = await connectMongo({
  url: setting.mongodbUrl,
  database: setting.database,
  selectionTimeoutMs: 5_000,
  maxPoolSize: 50,
});
const redis = connectRedis({
  url: setting.redisUrl,
  deadlineMs: 2_000,
  onError: (err) => console.error(err.message),
});
await redis.connect();
const { db } = mongo;
const rooms = createRooms({
  redis,
  mongo: db,
  streams: streamsIn(db),
  grantedRoles: channelRolesIn(db),
  chatBans: chatBansIn(db),
  follows: followsIn(db),
  log: quietLog(),
});

const counts = { admitted: 0, refused: 0 };
const sentAt = new Float64Array(setting.senders.length).fill(Number.NEGATIVE_INFINITY);
let n = 0;
let isOver = false;

async function talk(): Promise<void> {
  while (!isOver) {
    const turn = n++;
    const place = turn % setting.senders.length;
    const sender = setting.senders[place];
    const streamId = setting.rooms[place % setting.rooms.length];
    if (!sender || streamId === undefined) throw new Error("nobody is there to talk");
    const waitMs = (sentAt[place] ?? 0) + BREATH_MS - performance.now();
    if (waitMs > 0) await pause(waitMs);
    sentAt[place] = performance.now();
    const { content } = textOf(turn);
    const outcome = await rooms.send({ streamId, sender, content, nonce: `n${turn}` });
    if (outcome.ok) counts.admitted++;
    else if (counts.refused++ === 0) console.error(`  the first refusal: ${outcome.code}`);
  }
}

/** The text that the load says over sockets. */
function textOf(turn: number): { content: string } {
  const { params }: { params: { content: string } } = JSON.parse(DIALECTS.ours.message("", turn));
  return params;
}

const begun = mark();
const talking = Promise.all(Array.from({ length: setting.inFlight }, talk));
while (counts.admitted < setting.senders.length) {
  if (performance.now() - begun.atMs > FIRST_WITHIN_MS) throw new Error("not everybody could speak");
  await pause(5);
}
const known = mark();
await pause(setting.ms);
const done = mark();
isOver = true;
await talking;
const figures: AdmitterFigures = {
  first: between(begun, known),
  later: between(known, done),
  refused: counts.refused,
};
process.send?.(figures, () => process.exit(0));

function mark() {
  const { admitted } = counts;
  return {
    admitted,
    atMs: performance.now(),
    worker: cpuMs([process.pid]),
    redis: cpuMs([setting.redisPid]),
  };
}

function between(from: ReturnType<typeof mark>, to: ReturnType<typeof mark>): Admissions {
  return {
    admitted: to.admitted - from.admitted,
    ms: to.atMs - from.atMs,
    cpuMs: { worker: to.worker - from.worker, redis: to.redis - from.redis },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
