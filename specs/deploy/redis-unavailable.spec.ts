// @waits: for the deadlines of a Redis that is away.
import { expect } from "chai";
import { connectRedis } from "../../store/redis/connect.ts";
import { percentile } from "../stress/percentile.ts";
import { createApi, type OperationId } from "../support/api.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import { type Channel, givenChannels } from "../support/given-channels.ts";
import { type OwnValkey, openValkey } from "../support/own-valkey.ts";
import { type RoomViewer, viewRoom } from "../support/room-viewer.ts";
import { type Service, serviceHarness } from "../support/service.ts";

/** What the service promises for a refusal while Redis is unavailable. Medians are held to it, since a busy machine delays single requests. */
const REFUSES_WITHIN_MS = 250;
const ACCEPTS_WITHIN_MS = 3_000;

describe("The service while Redis is unavailable", function () {
  this.timeout(60_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  let valkey: OwnValkey;
  let service: Service;
  let channel: Channel;
  let viewer: RoomViewer;
  let speaker: RoomViewer;

  before(async () => {
    valkey = await openValkey();
    service = await start({
      REDIS_URL: valkey.url,
      API_WORKERS: "1",
      MONGODB_DATABASE: `livecore_redis_away_${process.pid}`,
    });
    await service.ready();
    const given = givenChannels({ api: createApi(service.http), clock: movableClock(), ingestKey: "" });
    channel = await given.channel();
    const at = { http: service.http, streamId: channel.stream.id };
    viewer = viewRoom(at);
    // The owner, who may speak as often as the spec wants.
    speaker = viewRoom({ ...at, ticket: async () => (await channel.owner.api.ok("createWsTicket")).ticket });
    await eventually(() => viewer.client.isLive && speaker.client.isLive);
  });
  after(async () => {
    viewer?.client.close();
    speaker?.client.close();
    await end();
    await valkey?.close();
  });

  const say = (content: string) =>
    channel.owner.api.call("sendChatMessage", { params: channel.at, body: { content } });
  const readyz = async () => (await fetch(`${service.internal}/readyz`)).status;

  /** Of requests that take less than ACCEPTS_WITHIN_MS, however busy the machine. */
  async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; ms: number }> {
    const startedAt = performance.now();
    const answer = await work();
    const ms = performance.now() - startedAt;
    expect(ms).below(ACCEPTS_WITHIN_MS);
    return { answer, ms };
  }

  it("answers what doesn't need it, and refuses chat at once", async () => {
    expect((await say("before")).status).equal(201);
    await eventually(() => viewer.texts.includes("before"));

    await valkey.kill();

    expect((await timed(() => say("lost"))).answer).include({ status: 503, code: "unavailable" });
    const refusalsMs: number[] = [];
    const refusalsBySocketMs: number[] = [];
    const reads: [OperationId, Record<string, string>][] = [
      ["getHealth", {}],
      ["getStream", channel.at],
      ["getUserStream", { username: channel.owner.username }],
      ["listStreams", {}],
      ["getHome", {}],
      ["listFollowedStreams", {}],
      ["listRecommendedStreams", {}],
      ["listCategoryStreams", { category_id: "games" }],
      ["listFollowers", { username: channel.owner.username }],
      ["getPublicProfile", { username: channel.owner.username }],
      ["getMe", {}],
      ["getMyStream", {}],
      ["listSessions", {}],
      ["getChatModes", channel.at],
      ["listPredictions", channel.at],
      ["getPoints", { user_id: channel.owner.id }],
    ];
    for (let round = 0; round < 5; round++) {
      for (const [operation, params] of reads) {
        const read = await channel.owner.api.call(operation, { params });
        expect([operation, read.status]).deep.equal([operation, 200]);
      }
      const { answer, ms } = await timed(() => say("lost"));
      expect(answer).include({ status: 503, code: "unavailable" });
      expect(answer.headers.get("retry-after")).equal("1");
      refusalsMs.push(ms);
      const bySocket = await timed(() => speaker.client.say("lost").then(null, (err) => err.code));
      expect(bySocket.answer).equal("unavailable");
      refusalsBySocketMs.push(bySocket.ms);
    }
    expect(percentile(refusalsMs, 0.5)).below(REFUSES_WITHIN_MS);
    expect(percentile(refusalsBySocketMs, 0.5)).below(REFUSES_WITHIN_MS);
    const opened = await channel.owner.api.call("createPrediction", {
      params: channel.at,
      body: { title: "Back soon?", outcomes: [{ title: "Yes" }, { title: "No" }], duration_seconds: 600 },
    });
    expect(opened.status).equal(201);
    // What these read is in Redis alone.
    for (const operation of [
      "listChatMessages",
      "getChatRoom",
      "getViewerCount",
      "createWsTicket",
    ] as const) {
      const answer = await channel.owner.api.call(operation, { params: channel.at });
      expect(answer).include({ status: 503, code: "unavailable" });
    }
    expect(await readyz()).equal(503);
  });

  it("resumes all of it by itself once it is back, and has lost nothing that was acknowledged", async () => {
    const workers = service.workers().map(({ pid }) => pid);

    await valkey.startAgain();

    await eventually(async () => (await say("after")).status === 201, {
      withinMs: ACCEPTS_WITHIN_MS,
    });
    // Each worker finds Redis again by itself. The nonce keeps a send that was refused too early from doubling.
    await eventually(() => speaker.client.say("by socket", { nonce: "by-socket" }), { withinMs: 10_000 });
    await eventually(() => viewer.texts.includes("by socket"), { withinMs: 10_000 });
    expect(viewer.texts).deep.equal(["before", "after", "by socket"]);
    // What was decided meanwhile is published now.
    await eventually(() => viewer.types.includes("prediction.opened"));
    expect(viewer.problems).deep.equal([]);
    expect(service.workers().map(({ pid }) => pid)).deep.equal(workers);
    await eventually(async () => (await readyz()) === 200);
    await eventually(async () => {
      const history = await channel.owner.api.ok("listChatMessages", { params: channel.at });
      expect(history.items.map(({ content }) => content)).members(["before", "after", "by socket"]);
    });
  });

  it("refuses as fast while it hangs instead, and goes on when it does", async () => {
    const refusalsMs: number[] = [];
    const readsMs: number[] = [];
    valkey.freeze();

    for (let round = 0; round < 5; round++) {
      const { answer, ms } = await timed(() => say("lost"));
      expect(answer).include({ status: 503, code: "unavailable" });
      refusalsMs.push(ms);
      const read = await timed(() => channel.owner.api.call("getStream", { params: channel.at }));
      expect(read.answer.status).equal(200);
      readsMs.push(read.ms);
    }
    expect(percentile(refusalsMs, 0.5)).below(REFUSES_WITHIN_MS);
    expect(percentile(readsMs, 0.5)).below(REFUSES_WITHIN_MS);

    valkey.thaw();
    await eventually(async () => (await say("thawed")).status === 201);
    await eventually(() => viewer.texts.at(-1) === "thawed");
  });

  it("refuses with 503 while it is full, answers what doesn't need it, and goes on once there is room", async () => {
    const redis = connectRedis({ url: valkey.url, deadlineMs: 1_000, onError: () => undefined });
    await redis.connect();
    try {
      await redis.config("SET", "maxmemory", "1mb");
      expect(await say("too much")).include({ status: 503, code: "unavailable" });
      const bySocket = await speaker.client.say("too much").then(null, (err) => err.code);
      expect(bySocket).equal("unavailable");
      expect((await channel.owner.api.call("getMe")).status).equal(200);
    } finally {
      await redis.config("SET", "maxmemory", "0");
      redis.disconnect();
    }

    expect((await say("roomy")).status).equal(201);
  });
});
