import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { createApi } from "../support/api.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import { type Channel, type Given, givenChannels } from "../support/given-channels.ts";
import { type RoomViewer, viewRoom } from "../support/room-viewer.ts";
import { type Service, serviceHarness } from "../support/service.ts";
import { talkSteadily, throughBrokenConnections } from "../support/steady-chat.ts";

const INGEST_KEYS = randomBytes(32).toString("hex");
const VIEWERS = 4;
/** A machine that is full misses Redis' 150 ms now and then. */
const REPEATED_SHARE_AT_MOST = 0.05;
/** Once by its realtime worker, once by the api worker that its socket passes through. */
const MAX_RETURNS = 2;

/** Those that hold sockets are killed in specs/realtime/service/of-two.spec.ts. */
describe("Workers of the running service", function () {
  this.timeout(180_000);
  const { start, orphans, end } = serviceHarness("deploy/main.ts");
  const viewers: RoomViewer[] = [];
  let service: Service;
  let given: Given;

  before(async () => {
    service = await start({ REALTIME_WORKERS: "2", INGEST_KEYS });
    await service.ready();
    given = givenChannels({ api: createApi(service.http), clock: movableClock(), ingestKey: INGEST_KEYS });
  });
  afterEach(() => {
    for (const { client } of viewers.splice(0)) client.close();
  });
  after(end);

  const workersOf = (kind: string) => service.workers().filter((worker) => worker.kind === kind);

  async function readiness(): Promise<Record<string, string>> {
    const body: { checks: Record<string, string> } = JSON.parse(
      await (await fetch(`${service.internal}/readyz`)).text(),
    );
    return body.checks;
  }

  /** Kills one of a kind that wasn't killed yet; resolves when another one is ready in its place. */
  async function kill(pid: number): Promise<void> {
    const all = service.workers().length;
    process.kill(pid, "SIGKILL");
    await eventually(() => !service.workers().some((worker) => worker.pid === pid));
    await eventually(async () => service.workers().length === all && (await allReady()), {
      withinMs: 30_000,
      what: `all workers are back: ${service.output()}`,
    });
  }

  const allReady = async () => {
    const { api, realtime, jobs } = await readiness();
    return api === "2/2" && realtime === "2/2" && jobs === "1/1";
  };

  async function watchedChannel() {
    const channel = await given.channel();
    const talkers = [channel.owner, await given.moderatorOf(channel), await given.moderatorOf(channel)];
    const room = Array.from({ length: VIEWERS }, () =>
      viewRoom({ http: service.http, streamId: channel.stream.id }),
    );
    viewers.push(...room);
    await eventually(() => room.every(({ client }) => client.isLive));
    const talk = talkSteadily({ talkers, at: channel.at, everyMs: 100 });
    await eventually(() => room.every(({ texts }) => texts.length > 2));
    return { channel, room, talk };
  }

  /** Every viewer saw what was acknowledged: all of it, once, in its order. */
  async function expectAllSeen({ room, talk }: Awaited<ReturnType<typeof watchedChannel>>): Promise<void> {
    await eventually(() => room.every(({ client }) => client.isLive), { withinMs: 20_000 });
    await talk.stop();
    const last = talk.acknowledged.at(-1);
    await eventually(() => room.every(({ texts }) => texts.at(-1) === last), { withinMs: 10_000 });
    expect(talk.refused.map(({ status, code }) => [status, code])).deep.equal([]);
    expect(talk.repeated() / talk.acknowledged.length, "sends repeated").most(REPEATED_SHARE_AT_MOST);
    for (const { texts, problems, recovered } of room) {
      expect(texts).deep.equal(talk.acknowledged);
      expect(problems).deep.equal([]);
      // Null is the first connection, which had nothing to recover.
      expect(recovered).deep.equal([null, ...recovered.slice(1).map(() => true)]);
    }
  }

  /** Reads one after the other until it is stopped; what isn't answered 200 within `tries` fails. */
  function readSteadily({ at }: Channel, tries: number) {
    const api = createApi(service.http);
    const failed: unknown[] = [];
    let requests = 0;
    let reading = true;
    const done = (async () => {
      while (reading) {
        requests += 1;
        const read = () => api.call("getStream", { params: at });
        const answer = await throughBrokenConnections(read, tries).catch((err: unknown) => ({ status: err }));
        if (answer.status !== 200) failed.push(answer.status);
        await pause(25);
      }
    })();
    return {
      async stop() {
        reading = false;
        await done;
        return { requests, failed };
      },
    };
  }

  it("that answer REST may be killed: requests go on, and sockets that passed through them resume", async () => {
    const watched = await watchedChannel();
    const reads = readSteadily(watched.channel, 5);

    for (const { pid } of workersOf("api")) await kill(pid);

    const { requests, failed } = await reads.stop();
    expect(failed).deep.equal([]);
    expect(requests).greaterThan(50);
    await expectAllSeen(watched);
    for (const { recovered } of watched.room) expect(recovered.length).greaterThan(1);
  });

  it("that fire timers may be killed: a timer set before still fires", async () => {
    const { owner, stream, at } = await given.channel();
    const published = await given.hook("publish", { key: stream.stream_key });
    expect(published.status).equal(200);

    for (const { pid } of workersOf("jobs")) await kill(pid);

    await eventually(async () => (await owner.api.ok("getStream", { params: at })).is_live, {
      withinMs: 15_000,
      what: "the stream goes live",
    });
  });

  it("are all replaced by SIGUSR2 without a failed request or a missed message, and few send anybody away", async () => {
    const watched = await watchedChannel();
    const before = new Set(service.workers().map(({ pid }) => pid));
    const reads = readSteadily(watched.channel, 1);

    service.signal("SIGUSR2");
    await eventually(() => service.output().includes("all workers are replaced"), { withinMs: 120_000 });

    const { requests, failed } = await reads.stop();
    expect(failed).deep.equal([]);
    expect(requests).greaterThan(50);
    await expectAllSeen(watched);
    for (const { recovered } of watched.room) expect(recovered.length).within(2, 1 + MAX_RETURNS);
    expect(service.workers().filter(({ pid }) => before.has(pid))).deep.equal([]);
  });

  it("were counted as they died, and leave with the service", async () => {
    const metrics = await (await fetch(`${service.internal}/metrics`)).text();
    for (const [kind, deaths] of Object.entries({ api: 2, jobs: 1 })) {
      expect(metrics).include(`livecore_worker_restarts_total{kind="${kind}",worker="primary"} ${deaths}`);
    }

    service.signal("SIGTERM");

    expect(await service.ended).equal(0);
    // uWebSockets.js warns on standard error of calls outside a cork.
    expect(service.output()).not.include("uWS.");
    expect(orphans()).deep.equal([]);
  });
});
