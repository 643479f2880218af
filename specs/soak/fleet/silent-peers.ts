import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import S3rver from "s3rver";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import { startMailSink } from "../../../deploy/development/mail/sink.ts";
import type { FileStore } from "../../../store/files/file-store.ts";
import { createS3Store } from "../../../store/files/s3.ts";
import { withService } from "../../realtime/failures/with-service.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { codeOf } from "../../support/code-of.ts";
import { eventually } from "../../support/eventually.ts";
import { openValkey } from "../../support/own-valkey.ts";
import { viewRoom } from "../../support/room-viewer.ts";
import type { Service } from "../../support/service.ts";
import { givenAt } from "./host.ts";
import { openPacketFilter } from "./packet-filter.ts";
import { openPrediction } from "./prediction.ts";

type Options = {
  /** How long packets are dropped each time. */
  droppedMs: number;
  /** Of requests that need what is cut off, by median. */
  refusedWithinMs: number;
  /** Until chat is accepted and received again. */
  heardWithinMs: number;
  /** Until a mail or a file passes again. */
  deliveredWithinMs: number;
};

type Peers = { redis: number; smtp: number; s3: number };
type Drill = Options & {
  service: Service;
  filter: ReturnType<typeof openPacketFilter>;
  ports: Peers;
  mails: () => number;
  store: FileStore;
  print: Print;
};

/** Two predictions lock while packets are dropped, so that it shows that jobs go on. */
const PREDICTION_SECONDS = 30;

/**
 * Packets to Redis, to the mail server and to the file store are dropped, one after the other, then those of Redis' connections
 * alone. What needs them is refused within its deadline, the rest goes on, timers too, and all of it comes back. Throws otherwise.
 */
export async function runSilentPeers(options: Options, print: Print): Promise<Figures> {
  const filter = openPacketFilter();
  const folder = mkdtempSync(join(tmpdir(), "livecore-silent-"));
  const bucket = "pictures";
  const s3 = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const [valkey, sink, { port }] = await Promise.all([openValkey(), startMailSink(), s3.run()]);
  try {
    const env = {
      REDIS_URL: valkey.url,
      SMTP_URL: sink.url,
      MONGODB_DATABASE: `livecore_silent_${randomBytes(4).toString("hex")}`,
    };
    const store = createS3Store({
      endpoint: `http://127.0.0.1:${port}`,
      region: "us-east-1",
      bucket,
      accessKeyId: "S3RVER",
      secretAccessKey: "S3RVER",
    });
    const portOf = (url: string) => Number(new URL(url).port);
    const ports = { redis: portOf(valkey.url), smtp: portOf(sink.url), s3: port };
    return await withService(env, async (service) => {
      const mails = () => sink.mails().length;
      const drill = { ...options, service, filter, ports, mails, store, print };
      return { ...(await silentRedis(drill)), ...(await silentMail(drill)), ...(await silentFiles(drill)) };
    });
  } finally {
    filter.close();
    await Promise.all([valkey.close(), sink.close(), s3.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function silentRedis(drill: Drill): Promise<Figures> {
  const { service, filter, ports, droppedMs, refusedWithinMs, heardWithinMs, print } = drill;
  const channel = await givenAt(service).channel();
  const { api } = channel.owner;
  const viewer = viewRoom({ http: service.http, streamId: channel.stream.id });
  const say = async (content: string) =>
    (await api.call("sendChatMessage", { params: channel.at, body: { content } })).status;
  const heardAfterMs = async (text: string) => {
    const from = performance.now();
    await eventually(async () => (await say(text)) === 201, {
      withinMs: heardWithinMs,
      what: "chat is taken",
    });
    await eventually(() => viewer.texts.includes(text), { withinMs: heardWithinMs, what: "it is received" });
    return Math.round(performance.now() - from);
  };
  try {
    await eventually(() => viewer.client.isLive);
    await heardAfterMs("before");
    const prediction = await openPrediction(channel, PREDICTION_SECONDS);

    filter.drop(ports.redis);
    const refusedMs: number[] = [];
    const droppedAt = performance.now();
    while (performance.now() - droppedAt < droppedMs) {
      const from = performance.now();
      if ((await say("lost")) === 503) refusedMs.push(performance.now() - from);
      assert.equal((await api.call("getStream", { params: channel.at })).status, 200);
      await pause(500);
    }
    const refusalMs = Math.round(percentile(refusedMs, 0.5));
    print(
      `packets to Redis were dropped for ${droppedMs} ms: ${refusedMs.length} refusals, in ${refusalMs} ms`,
    );
    assert.ok(refusalMs <= refusedWithinMs, `chat was refused in ${refusalMs} ms`);

    filter.pass();
    const redisBackMs = await heardAfterMs("after");
    const lateMs = await prediction.lateMs();
    print(`chat was received ${redisBackMs} ms after that, and a prediction locked ${lateMs} ms late`);

    filter.forgetConnectionsTo(ports.redis);
    const redisForgottenMs = await heardAfterMs("by another connection");
    print(`with connections that lead nowhere, chat was received after ${redisForgottenMs} ms`);
    assert.deepEqual(viewer.problems, []);
    return { refusalMs, redisBackMs, redisForgottenMs };
  } finally {
    filter.pass();
    viewer.client.close();
  }
}

/** A new account is mailed, which has to wait; chat and timers don't. */
async function silentMail(drill: Drill): Promise<Figures> {
  const { service, filter, ports, mails, droppedMs, deliveredWithinMs, print } = drill;
  const channel = await givenAt(service).channel();
  await eventually(() => mails() > 0, { what: "mails arrive" });
  const before = mails();
  filter.drop(ports.smtp);
  try {
    const prediction = await openPrediction(channel, PREDICTION_SECONDS);
    await givenAt(service).user();
    await pause(droppedMs);
    assert.equal(mails(), before);
    const { status } = await channel.owner.api.call("sendChatMessage", {
      params: channel.at,
      body: { content: "while mails wait" },
    });
    assert.equal(status, 201);
    filter.pass();
    const from = performance.now();
    await eventually(() => mails() > before, { withinMs: deliveredWithinMs, what: "the mail arrives" });
    const mailBackMs = Math.round(performance.now() - from);
    const lateMs = await prediction.lateMs();
    print(`a mail arrived ${mailBackMs} ms after its packets passed; a prediction locked ${lateMs} ms late`);
    return { mailBackMs };
  } finally {
    filter.pass();
  }
}

/** Of this process: the bundle in which the service runs here has no S3 client. */
async function silentFiles(drill: Drill): Promise<Figures> {
  const { filter, ports, store, deliveredWithinMs, print } = drill;
  const name = `${"a".repeat(64)}.webp`;
  const put = () => codeOf(store.put(name, Buffer.from("bytes")));
  assert.equal(await put(), "ok");
  filter.drop(ports.s3);
  try {
    const from = performance.now();
    assert.equal(await put(), "unavailable");
    const putRefusedMs = Math.round(performance.now() - from);
    assert.ok(putRefusedMs < PEER_DEADLINES_MS.s3 + 1_000, `a file was refused after ${putRefusedMs} ms`);
    filter.pass();
    const passedAt = performance.now();
    await eventually(async () => (await put()) === "ok", { withinMs: deliveredWithinMs });
    const putBackMs = Math.round(performance.now() - passedAt);
    print(`a file was refused after ${putRefusedMs} ms, and taken ${putBackMs} ms after packets passed`);
    return { putRefusedMs, putBackMs };
  } finally {
    filter.pass();
  }
}
