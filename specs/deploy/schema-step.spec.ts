// @waits: for a schema that takes longer than workers may take to be ready.
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { processClock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { processEnvironment } from "../../deploy/processes/config/environment.ts";
import { SETTINGS } from "../../deploy/processes/config/settings.ts";
import { SCHEMA_STEP_VARIABLE, SOCKET_FOLDER_VARIABLE } from "../../deploy/processes/process/messages.ts";
import { restoresIn } from "../../store/mongo/host/restores.ts";
import { isSchemaComplete, migrate } from "../../store/mongo/schema/migrate.ts";
import { bundle } from "../support/bundle.ts";
import { MASTER_KEY } from "../support/core.ts";
import { eventually } from "../support/eventually.ts";
import { openHeldIndexBuilds } from "../support/held-index-builds.ts";
import { operate } from "../support/operate.ts";
import { quietLog } from "../support/quiet-log.ts";
import { type Service, serviceHarness } from "../support/service.ts";
import { openStores, type Stores } from "../support/stores.ts";

const READY_WITHIN_MS = 3_000;

describe("The schema step", function () {
  this.timeout(120_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "livecore-schema-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const readyz = async ({ internal }: Service) => {
    const response = await fetch(`${internal}/readyz`);
    const { checks }: { checks: Record<string, string> } = JSON.parse(await response.text());
    return { status: response.status, checks };
  };
  /** The variables of the configuration that a process was given. */
  const settingsOf = (pid: number) => {
    const given = new Set(
      readFileSync(`/proc/${pid}/environ`, "utf8")
        .split("\0")
        .map((one) => one.split("=")[0]),
    );
    return Object.values(SETTINGS)
      .map(({ name }) => name)
      .filter((name) => given.has(name));
  };
  const kindsOf = (service: Service) => service.workers().map(({ kind }) => kind);

  describe("of a primary with toy workers", () => {
    const { start, orphans, end } = serviceHarness("specs/support/toy-primary.ts");
    afterEach(end);

    it("runs before workers start, however long it takes, and /readyz shows it", async () => {
      const service = await start({
        TOY_SCHEMA: `takes ${3 * READY_WITHIN_MS}`,
        TOY_READY_WITHIN_MS: String(READY_WITHIN_MS),
      });

      await eventually(async () =>
        expect(await readyz(service)).deep.equal({
          status: 503,
          checks: {
            mongodb: "ok",
            redis: "ok",
            schema: "The toy schema is being completed",
            realtime: "0/1",
            api: "0/2",
            jobs: "0/1",
            clock: "ok",
          },
        }),
      );
      expect(kindsOf(service)).deep.equal(["schema"]);
      await service.ready();
      expect(kindsOf(service)).not.include("schema");
      expect((await readyz(service)).checks.schema).equal("ok");
    });

    it("ends the start with its reason when it fails, without starting a worker", async () => {
      const service = await start({ TOY_SCHEMA: `fails unless there is ${join(folder, "nothing")}` });

      expect(await service.ended).equal(1);
      expect(service.output()).include("its toy index has duplicates").not.include("5 times in a row");
    });

    it("ends with the service by a signal", async () => {
      const service = await start({ TOY_SCHEMA: "takes 600000" });
      await eventually(() => service.output().includes("The toy schema is being completed"));
      service.workers();

      service.signal("SIGTERM");

      expect(await service.ended).equal(0);
      expect(orphans()).deep.equal([]);
      expect(service.output()).include("schema step interrupted");
    });

    it("runs again for a worker that waits for the schema, which isn't killed for being late", async () => {
      const complete = join(folder, "complete");
      const service = await start({
        TOY_JOBS: `waits for ${complete}`,
        TOY_READY_WITHIN_MS: String(READY_WITHIN_MS),
      });
      const steps = () => service.output().split("The toy schema is being completed").length - 1;
      await eventually(() => kindsOf(service).includes("jobs"));
      const waiting = service.workers().find(({ kind }) => kind === "jobs");
      const since = performance.now();

      await eventually(() => performance.now() - since > 3 * READY_WITHIN_MS && steps() > 1);

      writeFileSync(complete, "");
      await service.ready();
      expect(service.workers()).deep.include(waiting);
      expect(service.output()).not.include("wasn't ready within");
    });

    it("runs before SIGUSR2 replaces workers, which stay when it fails", async () => {
      const omen = join(folder, "omen");
      writeFileSync(omen, "");
      const service = await start({ TOY_SCHEMA: `fails unless there is ${omen}` });
      await service.ready();
      const workers = service.workers();
      rmSync(omen);

      service.signal("SIGUSR2");
      await eventually(() => service.output().includes("replacing workers failed"));

      expect(service.output()).include("its toy index has duplicates");
      expect(service.workers()).deep.equal(workers);
      writeFileSync(omen, "");
      service.signal("SIGUSR2");
      await eventually(() => service.output().includes("all workers are replaced"));
    });
  });

  describe("of the service", () => {
    const { start, end } = serviceHarness("deploy/main.ts");
    let builds: Awaited<ReturnType<typeof openHeldIndexBuilds>>;
    before(async () => {
      builds = await openHeldIndexBuilds();
    });
    afterEach(end);
    after(() => builds.close());

    it("serves nothing while MongoDB still builds an index that a killed start began", async () => {
      const database = `livecore_schema_${process.pid}`;
      const users = builds.client.db(database).collection<{ _id: string }>("users");
      const older = (_id: string) => ({ _id, username: _id, emailKey: _id });
      await users.insertMany(["a", "b", "c"].map(older));
      await builds.hold({ username: "b" });
      const env = { MONGODB_URL: builds.url, MONGODB_DATABASE: database, API_WORKERS: "1" };
      const first = await start(env);
      await eventually(async () => (await users.indexes()).length > 1);
      first.signal("SIGKILL");
      await first.ended;

      const next = await start({ ...env, LIVECORE_HOME: first.env.LIVECORE_HOME });

      await eventually(
        async () => expect((await readyz(next)).checks.schema).include("scanning collection"),
        {
          withinMs: 60_000,
        },
      );
      expect((await readyz(next)).status).equal(503);
      expect(kindsOf(next)).deep.equal(["schema"]);
      expect(settingsOf(next.workers()[0]?.pid ?? 0)).have.members([
        "NODE_ENV",
        "MONGODB_URL",
        "MONGODB_DATABASE",
      ]);
      expect(await fetch(`${next.http}/healthz`).catch(() => "refused")).equal("refused");
      await builds.release();
      await next.ready();
      expect(next.output()).include("Creating indexes users");
      expect((await readyz(next)).checks.schema).equal("ok");
    });
  });

  describe("of a single worker or command", () => {
    let stores: Stores;
    let worker: ChildProcess | null = null;
    beforeEach(async () => {
      stores = await openStores(`livecore_spec_schema_${process.pid}_${newId().slice(-6)}`);
    });
    afterEach(async () => {
      worker?.kill("SIGKILL");
      worker = null;
      await stores.mongo.db.dropDatabase();
      await stores.close();
    });

    async function startJobs(more: Record<string, string>) {
      const env = {
        ...processEnvironment(),
        NODE_ENV: "test",
        MASTER_KEY,
        LIVECORE_HOME: folder,
        MONGODB_DATABASE: stores.mongo.db.databaseName,
        [SOCKET_FOLDER_VARIABLE]: folder,
        ...more,
      };
      const child = fork(await bundle("deploy/processes/workers/jobs.ts"), { env, stdio: "ignore" });
      const messages: unknown[] = [];
      child.on("message", (message: { livecore?: unknown }) => messages.push(message.livecore));
      worker = child;
      return messages;
    }

    it("keeps a worker waiting until another host has completed the schema", async () => {
      const messages = await startJobs({ [SCHEMA_STEP_VARIABLE]: "primary" });
      await eventually(() => messages.filter((one) => one === "waiting").length > 1);
      expect(messages).not.include("ready");

      await migrate(stores.mongo, { clock: processClock, log: quietLog() });

      await eventually(() => messages.includes("ready"));
    });

    it("keeps the service from starting, and a worker waiting, while a restore isn't finished", async () => {
      const { db } = stores.mongo;
      await migrate(stores.mongo, { clock: processClock, log: quietLog() });
      const restores = restoresIn(db);
      await restores.begin("2026-01-31T04:00:00.000Z", new Date(), new Date());

      const { code, stderr } = await operate("deploy/commands/migrate", [], {
        home: folder,
        database: db.databaseName,
      });
      const messages = await startJobs({ [SCHEMA_STEP_VARIABLE]: "primary" });
      await eventually(() => messages.filter((one) => one === "waiting").length > 1);

      expect([code, messages.includes("ready")]).deep.equal([1, false]);
      expect(stderr).include("npm run restored for the backup of 2026-01-31T04:00:00.000Z isn't finished");
      await restores.finish("2026-01-31T04:00:00.000Z", new Date());
      await eventually(() => messages.includes("ready"));
    });

    it("leaves the schema to the worker under a primary of a release without the step", async () => {
      const messages = await startJobs({});

      await eventually(() => messages.includes("ready"));

      expect(messages).not.include("waiting");
      expect(await isSchemaComplete(stores.mongo.db)).equal(true);
    });

    it("runs alone by npm run migrate, whose exit code says whether the schema is complete", async () => {
      const run = (...args: string[]) =>
        operate("deploy/commands/migrate", args, { home: folder, database: stores.mongo.db.databaseName });
      const users = stores.mongo.db.collection<{ _id: string }>("users");
      const double = (_id: string) => ({ _id, username: "twice", emailKey: _id });
      await users.insertMany([double("a"), double("b")]);

      const failed = await run();
      await users.deleteOne({ _id: "b" });
      const completed = await run();
      const again = await run();
      const misused = await run("now");

      expect(failed.code).equal(1);
      expect(failed.stderr).include('The unique index {"username":1} of users');
      expect(completed).include({ code: 0, stderr: "" });
      expect(completed.stdout).include("The database's schema is complete.");
      expect(again).include({ code: 0, stdout: "The database's schema is complete.\n" });
      expect(await isSchemaComplete(stores.mongo.db)).equal(true);
      expect(misused.code).equal(2);
      expect(misused.stderr).include("Usage: npm run migrate");
    });
  });
});
