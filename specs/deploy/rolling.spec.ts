import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { fromPrimary, fromSchema, fromWorker } from "../../deploy/processes/process/messages.ts";
import { servingOf } from "../../deploy/processes/workers/serving.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, serviceHarness } from "../support/service.ts";

describe("Replacing the workers by SIGUSR2", function () {
  this.timeout(60_000);
  const { start, end } = serviceHarness("specs/support/toy-primary.ts");
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "livecore-rolling-"));
  });
  afterEach(end);
  after(() => rmSync(folder, { recursive: true, force: true }));

  const pidsOf = (service: Service, kind: string) =>
    service
      .workers()
      .filter((worker) => worker.kind === kind)
      .map(({ pid }) => pid);

  it("lets no old one leave before all new ones of its kind are there", async () => {
    const service = await start({ REALTIME_WORKERS: "3", TOY_REALTIME: "lingers" });
    await service.ready();
    const old = pidsOf(service, "realtime");

    service.signal("SIGUSR2");

    // Clients that are sent away by the first can only come to a new one.
    await eventually(() => pidsOf(service, "realtime").length === 6, { withinMs: 20_000 });
    await eventually(() => service.output().includes("all workers are replaced"), { withinMs: 30_000 });
    expect(pidsOf(service, "realtime")).length(3);
    expect(pidsOf(service, "realtime")).not.include.members(old);
  });

  it("leaves the old ones where they are when the new ones don't come up", async () => {
    const omen = join(folder, "omen");
    const service = await start({ TOY_API: `dies if there is ${omen}` });
    await service.ready();
    const [realtime, api] = [pidsOf(service, "realtime"), pidsOf(service, "api")];
    writeFileSync(omen, "");

    service.signal("SIGUSR2");

    await eventually(() => service.output().includes("a worker wasn't replaced"), { withinMs: 20_000 });
    expect(pidsOf(service, "api")).deep.equal(api);
    expect(pidsOf(service, "realtime")).not.deep.equal(realtime);
    expect(service.output()).not.include("all workers are replaced");
  });

  it("starts the successor of a worker that pauses between its tries at once", async () => {
    const omen = join(folder, "another omen");
    const service = await start({ TOY_API: `dies if there is ${omen}` });
    await service.ready();
    writeFileSync(omen, "");
    const [victim = 0] = pidsOf(service, "api");
    process.kill(victim, "SIGKILL");
    await eventually(() => service.output().includes("a worker keeps dying"), { withinMs: 45_000 });
    rmSync(omen);

    service.signal("SIGUSR2");

    await eventually(() => service.output().includes("all workers are replaced"), { withinMs: 30_000 });
    expect(pidsOf(service, "api")).length(2);
  });
});

describe("Messages between the primary and its workers", () => {
  it("keep their words, since SIGUSR2 starts workers of a new release under a primary of the old one", () => {
    const fromWorkers = [
      ...([{ livecore: "hears" }, { livecore: "ready" }, { livecore: "failed", reason: "x" }] as const),
      { livecore: "waiting" },
      { livecore: "alive" },
      { livecore: "metrics", id: 1, values: [] },
    ];
    const fromSchemaSteps = [
      { livecore: "progress", line: "x" },
      { livecore: "failed", reason: "x" },
    ];
    const sent = [
      { livecore: "drain" },
      { livecore: "metrics", id: 1 },
      { livecore: "absent", kinds: ["api"] },
      { livecore: "stores", mongodb: true, redis: false, elsewhere: ["api"] },
    ];

    expect(fromWorkers.map(fromWorker)).deep.equal(fromWorkers);
    expect(fromSchemaSteps.map(fromSchema)).deep.equal(fromSchemaSteps);
    expect(sent.map(fromPrimary)).deep.equal(sent);
  });

  it("leave a host in rotation under a primary that says nothing of the stores", () => {
    expect(servingOf(null, ["jobs"])).deep.equal({ rest: true, sockets: true });
    expect(servingOf(null, ["realtime"])).deep.equal({ rest: true, sockets: false });
    expect(fromPrimary({ livecore: "stores", mongodb: true })).equal(null);
  });
});
