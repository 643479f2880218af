import { expect } from "chai";
import { createApi } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, serviceHarness, type WorkerRecord } from "../support/service.ts";

describe("/healthz of the running service", function () {
  this.timeout(120_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  let service: Service;

  before(async () => {
    // One, so that who answers has started when the spec says.
    service = await start({ API_WORKERS: "1" });
    await service.ready();
  });
  after(end);

  const health = () => createApi(service.http).call("getHealth");
  const becomes = (status: number) =>
    eventually(async () => (await health().catch(() => null))?.status === status, {
      withinMs: 30_000,
      what: `health is ${status}`,
    });

  /** Kills the only worker of a kind and keeps the one that follows it from getting ready. */
  async function lose(kind: string): Promise<WorkerRecord> {
    const before = service.workers();
    const lost = before.find((worker) => worker.kind === kind);
    expect(lost).not.equal(undefined);
    process.kill(lost?.pid ?? 0, "SIGKILL");
    const isNew = ({ pid }: WorkerRecord) => before.every((known) => known.pid !== pid);
    const next = await eventually(() => service.workers().find(isNew) ?? false);
    if (next === false) throw new Error("eventually never gives false");
    process.kill(next.pid, "SIGSTOP");
    return next;
  }

  it("is ok once every kind of worker serves", async () => {
    const { status, body } = await health();

    expect({ status, body }).deep.equal({ status: 200, body: { status: "ok" } });
  });

  it("is unavailable while there is no jobs worker, and ok again with the next one", async () => {
    const follower = await lose("jobs");
    await expectUnavailable();
    process.kill(follower.pid, "SIGCONT");
    await becomes(200);
  });

  it("is answered alike by an api worker that starts while no realtime worker is there, and by one that starts later", async () => {
    const follower = await lose("realtime");
    await expectUnavailable();
    await killApiWorker();

    expect((await firstAnswer()).status).equal(503);
    process.kill(follower.pid, "SIGCONT");
    await becomes(200);
    await killApiWorker();

    expect((await firstAnswer()).status).equal(200);
  });

  async function expectUnavailable(): Promise<void> {
    await becomes(503);
    const { code, headers } = await health();
    expect(code).equal("unavailable");
    expect(headers.get("retry-after")).equal("2");
  }

  async function killApiWorker(): Promise<void> {
    const killed = service.workers().find(({ kind }) => kind === "api");
    if (!killed) throw new Error("there is an api worker");
    process.kill(killed.pid, "SIGKILL");
    await eventually(() => service.workers().every(({ pid }) => pid !== killed.pid));
  }

  /** Nobody may listen for a moment. */
  const firstAnswer = () => eventually(health, { withinMs: 30_000 });
});
