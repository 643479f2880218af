// @waits: for the checks of the stores, and for sockets to be sent away.
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { Socket } from "../realtime/gateway/world.ts";
import { eventually } from "../support/eventually.ts";
import { serviceHarness } from "../support/service.ts";
import { type Host, openTwoHosts } from "../support/two-hosts.ts";

const CHECKS = ["/livez", "/servez", "/servez/rest", "/servez/sockets"] as const;
const SERVES = { "/livez": 200, "/servez": 200, "/servez/rest": 200, "/servez/sockets": 200 };
/** No answer of a store in a check or two, and the check after it. */
const NOTICED_WITHIN_MS = 12_000;

describe("load balancer checks on two hosts", function () {
  this.timeout(120_000);
  let hosts: readonly [Host, Host];
  let end: () => Promise<void> = async () => undefined;
  const sockets: Socket[] = [];

  before(async () => {
    ({ hosts, end } = await openTwoHosts({ JOBS_WORKERS: "1" }));
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.ws.terminate();
    for (const host of hosts) {
      host.redis.heal();
      host.mongodb.heal();
      await checksAre(host, SERVES);
    }
  });
  after(() => end());

  const statusOf = async (url: string) =>
    (await fetch(url, { headers: { connection: "close" } }).catch(() => null))?.status ?? 0;
  async function checks({ http }: Host): Promise<Record<string, number>> {
    const statuses = await Promise.all(
      CHECKS.map(async (path) => [path, await statusOf(http + path)] as const),
    );
    return Object.fromEntries(statuses);
  }
  const checksAre = (host: Host, wanted: Record<string, number>) =>
    eventually(async () => expect(await checks(host)).deep.equal(wanted), {
      withinMs: NOTICED_WITHIN_MS,
    });
  function connect({ http }: Host): Socket {
    const socket = new Socket(`${http.replace("http", "ws")}/v1/ws`);
    sockets.push(socket);
    return socket;
  }

  /** Statuses that were ever answered while `ms` passed. */
  async function seenWithin(ms: number, host: Host): Promise<Record<string, number[]>> {
    const seen: Record<string, number[]> = {};
    const until = performance.now() + ms;
    while (performance.now() < until) {
      for (const [path, status] of Object.entries(await checks(host)))
        seen[path] = [...new Set([...(seen[path] ?? []), status])];
      await pause(250);
    }
    return seen;
  }

  it("keep a host in rotation while its only jobs worker is replaced", async () => {
    const [host] = hosts;
    const jobs = host.workers().find(({ kind }) => kind === "jobs");

    process.kill(jobs?.pid ?? 0, "SIGKILL");

    await eventually(async () => (await statusOf(`${host.http}/healthz`)) === 503);
    const seen = new Set<string>();
    await eventually(
      async () => {
        seen.add(JSON.stringify(await checks(host)));
        return (await statusOf(`${host.http}/healthz`)) === 200;
      },
      { withinMs: 30_000 },
    );
    expect([...seen]).deep.equal([JSON.stringify(SERVES)]);
  });

  it("take the sockets of a host without a ready realtime worker out of rotation", async () => {
    const [host] = hosts;
    const realtime = host.workers().find(({ kind }) => kind === "realtime");

    process.kill(realtime?.pid ?? 0, "SIGKILL");

    await checksAre(host, { ...SERVES, "/servez": 503, "/servez/sockets": 503 });
  });

  for (const way of ["cut", "drop"] as const) {
    it(`send traffic and sockets away from a host that alone lost Redis (${way})`, async () => {
      const [other, host] = hosts;
      const socket = connect(host);
      await socket.next("hello");

      host.redis[way]();

      await checksAre(host, { "/livez": 200, "/servez": 503, "/servez/rest": 503, "/servez/sockets": 503 });
      expect(await checks(other)).deep.equal(SERVES);
      expect(await (await fetch(`${host.internal}/readyz`)).text()).include("; other hosts have it");
      const bye = await eventually(() => socket.ofType("bye")[0] ?? false, { withinMs: 15_000 });
      expect(bye).nested.property("data.retry_after_ms");
      await eventually(() => expect(socket.closed).deep.equal({ code: 1012, reason: "restart" }));
      const refused = connect(host);
      await eventually(() =>
        expect(refused.refused).nested.include({ status: 503, "body.code": "unavailable" }),
      );
      expect(refused.refused?.headers).property("retry-after", "1");
      await connect(other).next("hello");

      host.redis.heal();

      await checksAre(host, SERVES);
      await eventually(
        async () => {
          const again = connect(host);
          await eventually(() => again.refused !== null || again.ofType("hello").length > 0);
          return again.refused === null;
        },
        { withinMs: 10_000 },
      );
    });
  }

  it("keep both hosts in rotation, and their sockets open, while Redis is away everywhere", async () => {
    const open = hosts.map(connect);
    for (const socket of open) await socket.next("hello");

    for (const { redis } of hosts) redis.cut();

    const seen = await Promise.all(hosts.map((host) => seenWithin(14_000, host)));
    for (const one of seen) for (const path of CHECKS) expect(one[path], path).deep.equal([200]);
    expect(open.map(({ closed }) => closed)).deep.equal([null, null]);
  });

  it("take only the REST of a host that lost MongoDB out of rotation", async () => {
    const [other, host] = hosts;

    host.mongodb.cut();

    await checksAre(host, { ...SERVES, "/servez": 503, "/servez/rest": 503 });
    expect(await checks(other)).deep.equal(SERVES);
  });

  it("keep a host that alone lost Redis out of rotation when it loses MongoDB, too", async () => {
    const [, host] = hosts;
    const away = { "/livez": 200, "/servez": 503, "/servez/rest": 503, "/servez/sockets": 503 };
    host.redis.cut();
    await checksAre(host, away);

    host.mongodb.cut();

    const seen = await seenWithin(10_000, host);
    expect(seen).deep.equal(Object.fromEntries(CHECKS.map((path) => [path, [away[path]]])));
  });

  it("send traffic and sockets away from a host that lost both stores", async () => {
    const [other, host] = hosts;

    const socket = connect(host);
    await socket.next("hello");

    host.mongodb.cut();
    host.redis.cut();

    await checksAre(host, { "/livez": 200, "/servez": 503, "/servez/rest": 503, "/servez/sockets": 503 });
    expect(await checks(other)).deep.equal(SERVES);
    await eventually(() => expect(socket.closed).deep.equal({ code: 1012, reason: "restart" }));
  });
});

describe("load balancer checks of a host that stops", function () {
  this.timeout(60_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  after(end);

  it("take it out of rotation before it refuses connections", async () => {
    const host = await start({ API_WORKERS: "1" });
    await host.ready();
    // On connections that outlive the listener for a moment.
    const statuses = () =>
      Promise.all(
        ["/servez/rest", "/healthz"].map(async (path) => (await fetch(`${host.http}${path}`)).status),
      );
    expect(await statuses()).deep.equal([200, 200]);

    host.signal("SIGTERM");

    await eventually(async () => expect(await statuses()).deep.equal([503, 503]), {
      everyMs: 20,
      withinMs: 5_000,
    });
    expect(await host.ended).equal(0);
  });
});
