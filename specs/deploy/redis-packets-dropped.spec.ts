// @waits: for connections on which nothing is answered to be given up.
import { expect } from "chai";
import { percentile } from "../stress/percentile.ts";
import { createApi } from "../support/api.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import { type Channel, givenChannels } from "../support/given-channels.ts";
import { type OwnValkey, openValkey } from "../support/own-valkey.ts";
import { type RoomViewer, viewRoom } from "../support/room-viewer.ts";
import { type Service, serviceHarness } from "../support/service.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";

/** What the service promises for a refusal; medians are held to it, since a busy machine delays single requests. */
const REFUSES_WITHIN_MS = 250;
/** Until all connections were given up, and opened again in vain. */
const DROPPED_MS = 8_000;
/** Two seconds without a reply, a second try, and a busy machine. */
const ACCEPTS_WITHIN_MS = 7_000;
/** The rooms' readers give a connection up after five seconds, and two more for its end. */
const RECEIVES_WITHIN_MS = 15_000;

describe("The service when packets to Redis are dropped", function () {
  this.timeout(90_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  let valkey: OwnValkey;
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  let service: Service;
  let channel: Channel;
  let viewer: RoomViewer;

  before(async () => {
    valkey = await openValkey();
    const url = new URL(valkey.url);
    proxy = await openTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    service = await start({
      REDIS_URL: String(url),
      API_WORKERS: "1",
      MONGODB_DATABASE: `livecore_redis_dropped_${process.pid}`,
    });
    await service.ready();
    const given = givenChannels({ api: createApi(service.http), clock: movableClock(), ingestKey: "" });
    channel = await given.channel();
    viewer = viewRoom({ http: service.http, streamId: channel.stream.id });
    await eventually(() => viewer.client.isLive);
  });
  after(async () => {
    viewer?.client.close();
    await end();
    await proxy?.close();
    await valkey?.close();
  });

  const say = (content: string) =>
    channel.owner.api.call("sendChatMessage", { params: channel.at, body: { content } });

  async function expectHeard(text: string): Promise<void> {
    await eventually(async () => (await say(text)).status === 201, { withinMs: ACCEPTS_WITHIN_MS });
    await eventually(() => viewer.texts.includes(text), { withinMs: RECEIVES_WITHIN_MS });
    await eventually(async () => (await fetch(`${service.internal}/readyz`)).status === 200);
    expect(viewer.problems).deep.equal([]);
  }

  it("refuses chat at once, answers the rest, and goes on when packets pass again", async () => {
    await expectHeard("before");
    proxy.blackHole();
    await eventually(async () => (await say("lost")).status === 503);

    const refusalsMs: number[] = [];
    const isOver = async (since: number) => {
      const from = performance.now();
      expect((await say("lost")).status).equal(503);
      refusalsMs.push(performance.now() - from);
      expect((await channel.owner.api.call("getStream", { params: channel.at })).status).equal(200);
      return performance.now() - since > DROPPED_MS;
    };
    const droppedAt = performance.now();
    await eventually(() => isOver(droppedAt), { withinMs: 3 * DROPPED_MS });
    expect(percentile(refusalsMs, 0.5)).below(REFUSES_WITHIN_MS);

    proxy.release();
    await expectHeard("after");
  });

  it("opens other connections within seconds when those that it has lead nowhere any more", async () => {
    const workers = service.workers().map(({ pid }) => pid);
    proxy.forgetConnections();

    await expectHeard("by another connection");

    expect(service.workers().map(({ pid }) => pid)).deep.equal(workers);
  });
});
