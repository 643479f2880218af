// @waits: for stores to start.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Redis } from "ioredis";
import { MongoClient } from "mongodb";
import { makePrivate } from "../../deploy/development/home/home.ts";
import {
  type DevelopmentServices,
  startDevelopmentServices,
} from "../../deploy/development/stores/development.ts";
import { mongodArguments } from "../../deploy/development/stores/mongod.ts";
import { freePort } from "../../deploy/development/stores/ports.ts";
import { findProgram } from "../../deploy/development/stores/programs.ts";
import { storePassword } from "../../deploy/development/stores/store-password.ts";
import { mongodRecipe } from "../../deploy/installation/needed-stores.mjs";
import { processEnvironment } from "../../deploy/processes/config/environment.ts";
import { identify, isAlive, readRecord, writeRecord } from "../../deploy/processes/process/process-record.ts";
import { eventually } from "../support/eventually.ts";
import { useProjectCache } from "../support/program-cache.ts";

const { MONGODB_URL, REDIS_URL, ...environment } = processEnvironment();
const STORES = ["mongodb", "valkey"] as const;

describe("Stores of our own", function () {
  this.timeout(90_000);
  let home: string;
  let services: DevelopmentServices | null;
  const spawned: ChildProcess[] = [];

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "livecore-home-"));
    useProjectCache(home);
    services = null;
  });
  afterEach(async () => {
    await services?.stop();
    for (const child of spawned.splice(0)) if (child.exitCode === null) child.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  });

  async function start(): Promise<DevelopmentServices> {
    const setUp = { home, env: environment, say: () => undefined, signal: new AbortController().signal };
    services = await startDevelopmentServices(setUp);
    return services;
  }

  async function onMongo<T>(url: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
    const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  const passwordsOf = ({ mongodbUrl, redisUrl }: DevelopmentServices) =>
    [mongodbUrl, redisUrl].map((url) => new URL(url).password);

  /** What MongoDB and Valkey answer to somebody with this password, or without one. */
  async function answersTo(password: string | null, { mongodbUrl, redisUrl }: DevelopmentServices) {
    const who = password === null ? "" : `livecore:${password}@`;
    const [mongod, valkey] = [new URL(mongodbUrl).host, new URL(redisUrl).host];
    const mongodb = onMongo(`mongodb://${who}${mongod}/?directConnection=true&authSource=admin`, (client) =>
      client.db("livecore").collection("users").findOne(),
    );
    const redis = new Redis(`redis://${valkey}/0`, { lazyConnect: true, ...(password ? { password } : {}) });
    redis.on("error", () => undefined); // the answer says it
    const answers = await Promise.allSettled([mongodb, redis.get("key")]);
    redis.disconnect();
    return answers.map((answer) => (answer.status === "fulfilled" ? "ok" : String(answer.reason.message)));
  }

  async function spawnMongod(args: string[]) {
    const program = await findProgram(mongodRecipe, {
      cache: join(home, "cache"),
      env: environment,
      fits: () => null,
      say: () => undefined,
      signal: new AbortController().signal,
    });
    const mongod = spawn(program.path, args, { stdio: "ignore" });
    spawned.push(mongod);
    const exit = once(mongod, "exit");
    return {
      program,
      pid: mongod.pid ?? 0,
      stop() {
        mongod.kill("SIGTERM");
        return exit;
      },
    };
  }

  /** As versions before passwords ran it: a set of one member that lets everybody in. */
  async function startOldMongod(port: number) {
    const data = join(home, "mongodb/data");
    mkdirSync(data, { recursive: true });
    const open = ["--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket", "--dbpath", data];
    const mongod = await spawnMongod([...open, "--replSet", "rs0", "--oplogSize", "64"]);
    const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
    await onMongo(`mongodb://127.0.0.1:${port}/?directConnection=true`, async (client) => {
      await client.db("admin").command({ replSetInitiate: { _id: "rs0", members } });
      await eventually(async () => (await client.db("admin").command({ hello: 1 })).isWritablePrimary, {
        withinMs: 20_000,
      });
      await client.db("livecore").collection("users").insertOne({ name: "from before" });
    });
    return mongod;
  }

  it("let nobody in who hasn't their passwords, and show these to nobody: not among processes, not in files that others could read", async () => {
    const running = await start();

    const [mongodPassword = "", valkeyPassword] = passwordsOf(running);
    expect(mongodPassword)
      .match(/^[0-9a-f]{64}$/)
      .not.equal(valkeyPassword);
    const refused = [/requires authentication/, /NOAUTH/];
    for (const [i, answer] of (await answersTo(null, running)).entries())
      expect(answer).match(refused[i] ?? /-/);
    for (const answer of await answersTo("a guess", running))
      expect(answer).match(/authentication|WRONGPASS/i);

    for (const store of STORES) {
      const { pid } = readRecord(join(home, store, "process.json")) ?? {};
      const shown = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      for (const password of passwordsOf(running)) expect(shown).not.include(password);
    }
    const open = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      // Programs are no secret. Since Node 22 the link to them is followed.
      .filter((file) => !file.startsWith(join(home, "cache/")))
      .filter((file) => (statSync(file).mode & 0o077) !== 0);
    expect(open).deep.equal([]);
    expect(statSync(home).mode & 0o777).equal(0o700);
  });

  it("take no first user from anybody either", async () => {
    mkdirSync(join(home, "mongodb/data"), { recursive: true });
    const keyFile = storePassword(join(home, "mongodb")).file;
    const port = await freePort();
    const data = join(home, "mongodb/data");
    const mongod = await spawnMongod(mongodArguments({ port, data, keyFile, throwaway: true }));

    const initiating = onMongo(`mongodb://127.0.0.1:${port}/?directConnection=true`, (client) =>
      client.db("admin").command({ replSetInitiate: {} }),
    );

    expect(await initiating.catch((err: Error) => err.message)).match(/requires authentication/);
    await mongod.stop();
  });

  it("keep their passwords over a start, and take on new ones when those are lost", async () => {
    const first = await start();
    const before = passwordsOf(first);
    await onMongo(first.mongodbUrl, (client) => client.db("livecore").collection("users").insertOne({}));
    await first.stop();

    const second = await start();
    expect(passwordsOf(second)).deep.equal(before);
    await second.stop();
    for (const store of STORES) rmSync(join(home, store, "password"));
    const third = await start();

    const [lost = "", ...others] = before;
    expect(passwordsOf(third)).not.include.members([lost, ...others]);
    for (const answer of await answersTo(lost, third)) expect(answer).match(/authentication|WRONGPASS/i);
    const users = await onMongo(third.mongodbUrl, (client) =>
      client.db("livecore").collection("users").countDocuments(),
    );
    expect(users).equal(1);
  });

  for (const moved of [false, true]) {
    it(`take over data that was made without a password${moved ? ", on another port" : ""}`, async () => {
      const port = await freePort();
      const old = await startOldMongod(port);
      await old.stop();
      const { product, version } = old.program;
      // Without it the port of the last start isn't known, so that another is taken.
      if (!moved)
        writeFileSync(join(home, "mongodb/made-by.json"), JSON.stringify({ product, version, port }));

      const running = await start();

      const kept = await onMongo(running.mongodbUrl, (client) =>
        client.db("livecore").collection("users").findOne(),
      );
      expect(kept).include({ name: "from before" });
      expect(new URL(running.mongodbUrl).port === String(port)).equal(!moved);
      expect((await answersTo(null, running))[0]).match(/requires authentication/);
    });
  }

  it("don't adopt one that still runs without a password: it is ended, and started with one", async () => {
    const port = await freePort();
    const old = await startOldMongod(port);
    const record = identify(old.pid);
    if (!record) throw new Error("the old mongod isn't there");
    writeRecord(join(home, "mongodb/process.json"), { ...record, port });

    const running = await start();

    expect(isAlive(record)).equal(false);
    expect((await answersTo(null, running))[0]).match(/requires authentication/);
  });
});

describe("The home folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "livecore-home-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is its owner's alone, also one that was open to others", () => {
    const home = join(folder, "new");
    makePrivate(home);
    expect(statSync(home).mode & 0o777).equal(0o700);

    chmodSync(home, 0o755);
    makePrivate(home);
    expect(statSync(home).mode & 0o777).equal(0o700);
  });

  it("is never one that belongs to all users", () => {
    chmodSync(folder, 0o1777);

    expect(() => makePrivate(folder)).throw(/Set LIVECORE_HOME/);
    expect(statSync(folder).mode & 0o7777).equal(0o1777);
  });
});
