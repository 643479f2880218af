// @waits: for workers that die, and for what ends them.
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { eventually } from "../support/eventually.ts";
import { serviceHarness } from "../support/service.ts";

describe("The primary", function () {
  this.timeout(90_000);
  const { start, orphans, end } = serviceHarness("specs/support/toy-primary.ts");
  afterEach(end);

  const answer = async (url: string): Promise<string> =>
    (await fetch(url, { headers: { connection: "close" } })).text();
  const readyz = async (internal: string) => {
    const response = await fetch(`${internal}/readyz`);
    const body: { status: string; checks: Record<string, string> } = JSON.parse(await response.text());
    return { status: response.status, body };
  };

  it("forks all workers, shows their state on the internal port, and has its home to itself", async () => {
    const service = await start();
    await service.ready();

    expect(service.workers()).length(4);
    expect(service.output()).include(`REST      http://localhost:${service.env.PORT}`);
    expect(await readyz(service.internal)).deep.equal({
      status: 200,
      body: {
        status: "ok",
        checks: {
          mongodb: "ok",
          redis: "ok",
          schema: "ok",
          realtime: "1/1",
          api: "2/2",
          jobs: "1/1",
          clock: "ok",
        },
      },
    });
    const metrics = await answer(`${service.internal}/metrics`);
    for (const worker of ["primary", "api", "realtime", "jobs"]) {
      expect(metrics).match(new RegExp(`process_resident_memory_bytes{[^}]*worker="${worker}"`));
    }

    const second = await start({ LIVECORE_HOME: service.env.LIVECORE_HOME });

    expect(await second.ended).equal(1);
    expect(second.output()).include(`livecore already runs with this data (process ${service.pid}`);
    expect((await readyz(service.internal)).status).equal(200);
  });

  it("finishes open requests and leaves no process after SIGINT", async () => {
    const service = await start();
    await service.ready();
    service.workers();
    const slow = answer(`${service.http}/slow`);
    await eventually(() => answer(service.http).then(Boolean));

    service.signal("SIGINT");

    expect(await slow).match(/^\d+$/);
    expect(await service.ended).equal(0);
    expect(orphans()).deep.equal([]);
  });

  it("takes a signal to its whole group, twice at once, for one", async () => {
    const service = await start();
    await service.ready();
    const group = [service.pid, ...service.workers().map(({ pid }) => pid)];

    for (const pid of [...group, ...group]) process.kill(pid, "SIGTERM");

    expect(await service.ended).equal(0);
    expect(orphans()).deep.equal([]);
  });

  it("replaces a worker that hangs after 20 s, and answers /readyz with 503 until then", async () => {
    const service = await start();
    await service.ready();
    const hung = service.workers().find(({ kind }) => kind === "jobs");
    const suspended = performance.now();

    process.kill(hung?.pid ?? 0, "SIGSTOP");

    await eventually(async () => (await readyz(service.internal)).body.checks.jobs === "0/1");
    expect((await readyz(service.internal)).status).equal(503);
    expect(performance.now() - suspended).above(8_000);
    await eventually(async () => (await readyz(service.internal)).status === 200, { withinMs: 30_000 });
    expect(performance.now() - suspended).above(18_000);
    expect(service.workers().map(({ pid }) => pid)).not.include(hung?.pid);
    expect(service.output())
      .include("worker not ready: no heartbeat")
      .include("it sent no heartbeat for 20 s");
  });

  it("counts a worker as ready again that was suspended for less than 20 s", async () => {
    const service = await start();
    await service.ready();
    const [paused] = service.workers().filter(({ kind }) => kind === "realtime");

    process.kill(paused?.pid ?? 0, "SIGSTOP");
    await eventually(async () => (await readyz(service.internal)).body.checks.realtime === "0/1");
    process.kill(paused?.pid ?? 0, "SIGCONT");

    await eventually(async () => (await readyz(service.internal)).status === 200);
    expect(service.workers().map(({ pid }) => pid)).include(paused?.pid);
    expect(service.output()).include("worker ready again: heartbeat received");
  });

  it("kills a worker that doesn't end within the grace", async () => {
    const service = await start({ TOY_JOBS: "never ends", GRACE_SECONDS: "1" });
    await service.ready();
    service.workers();

    service.signal("SIGTERM");

    expect(await service.ended).equal(0);
    expect(orphans()).deep.equal([]);
  });

  it("ends at once by a second signal later than a second, and leaves no pid file", async () => {
    const service = await start({ TOY_JOBS: "never ends", GRACE_SECONDS: "60" });
    await service.ready();
    service.workers();
    const pidFile = join(service.env.LIVECORE_HOME ?? "", "livecore.pid");
    expect(existsSync(pidFile)).equal(true);

    service.signal("SIGINT");
    const forcing = setInterval(() => service.signal("SIGINT"), 400);
    const code = await service.ended.finally(() => clearInterval(forcing));

    expect(code).equal(1);
    expect(existsSync(pidFile)).equal(false);
    await eventually(() => orphans().length === 0);
  });

  it("gives up with the reason when a worker keeps dying", async () => {
    const service = await start({ TOY_REALTIME: "dies" });

    expect(await service.ended).equal(1);

    expect(service.output())
      .include("The realtime worker died 5 times in a row")
      .include("its toy store is on fire");
    expect(service.output()).not.include("livecore is ready");
  });

  it("serves without a worker that keeps dying beside another of its kind, and retries it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "livecore-claim-"));
    const claim = join(folder, "claim");
    try {
      const service = await start({ TOY_API: `dies unless it is the first at ${claim}` });
      await service.ready();

      const line = service
        .output()
        .split("\n")
        .find((one) => one.includes("a worker keeps dying; others of its kind serve"));
      expect(JSON.parse(line ?? "{}")).include({ level: "error", worker: "api" });
      expect(await answer(service.http)).match(/^\d+$/);
      expect((await readyz(service.internal)).body.checks.api).equal("1/2");

      rmSync(claim, { recursive: true });
      await eventually(async () => expect((await readyz(service.internal)).body.checks.api).equal("2/2"), {
        withinMs: 30_000,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("leaves no worker behind when it is killed, and the next one starts", async () => {
    const service = await start();
    await service.ready();
    service.workers();

    service.signal("SIGKILL");
    await service.ended;
    const next = await start({ LIVECORE_HOME: service.env.LIVECORE_HOME, PORT: service.env.PORT });
    await next.ready();

    expect(orphans()).deep.equal([]);
    expect(next.workers()).length(4);
  });

  it("refuses a port in use before it starts anything", async () => {
    const taken = createServer().listen(0);
    try {
      await once(taken, "listening");
      const address = taken.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;

      const service = await start({ REALTIME_PORT: String(port) });

      expect(await service.ended).equal(1);
      expect(service.output()).include(`Port ${port} (REALTIME_PORT) is in use`);
    } finally {
      taken.close();
    }
  });

  it("asks for its ports where it will listen: on this machine alone, unless HOST says otherwise", async () => {
    const neighbour = createServer();
    await once(neighbour.listen(0, "127.0.0.2"), "listening");
    const address = neighbour.address();
    const port = String(typeof address === "object" && address !== null ? address.port : 0);
    try {
      const service = await start({ PORT: port });
      await service.ready();
      const everywhere = await start({ PORT: port, HOST: "0.0.0.0" });

      expect(await answer(service.http)).match(/^\d+$/);
      expect(await everywhere.ended).equal(1);
      expect(everywhere.output()).include(`Port ${port} (PORT) is in use`);
    } finally {
      neighbour.close();
    }
  });

  it("says that HOST isn't an address of this machine", async () => {
    const service = await start({ HOST: "192.0.2.1" });

    expect(await service.ended).equal(1);
    expect(service.output()).include("192.0.2.1 isn't an address of this machine");
  });

  it("says all that is wrong with its configuration", async () => {
    const service = await start({ LOG_LEVEL: "loud", API_WORKERS: "many" });

    expect(await service.ended).equal(1);
    expect(service.output()).include("LOG_LEVEL must be").include("API_WORKERS must be");
  });

  for (const [variable, url, title] of [
    ["MONGODB_URL", "mongodb://127.0.0.1:9/?replicaSet=rs0", "MongoDB"],
    ["REDIS_URL", "redis://127.0.0.1:9/0", "Redis"],
  ] as const) {
    it(`says that the ${title} it was pointed at doesn't answer`, async () => {
      const service = await start({ [variable]: url });

      expect(await service.ended).equal(1);
      expect(service.output()).include(
        `The ${title} at ${variable} doesn't answer (connect ECONNREFUSED 127.0.0.1:9). Start it, or correct ${variable}`,
      );
    });
  }
});
