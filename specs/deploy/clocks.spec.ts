import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { decodeJwt } from "jose";
import { MongoClient } from "mongodb";
import { MINUTE_MS } from "../../base/durations.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { createApi } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { operate } from "../support/operate.ts";
import { takeDatabase } from "../support/own-stores.ts";
import { type Service, serviceHarness } from "../support/service.ts";

/** The host's clock of its processes is off; the stores' clocks are right. */
describe("the service on a host whose clock is wrong", function () {
  this.timeout(120_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  const folder = mkdtempSync(join(tmpdir(), "livecore-clocks-"));
  after(async () => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  });

  const file = join(folder, "shift");
  function shift(seconds: number): void {
    writeFileSync(`${file}.new`, String(seconds * 1_000));
    renameSync(`${file}.new`, file);
  }
  function shifted(seconds: number): { NODE_OPTIONS: string } {
    shift(seconds);
    const { href } = pathToFileURL(join(projectRoot, "specs/support/shifted-host.mjs"));
    return { NODE_OPTIONS: `--import=${href}?by=${encodeURIComponent(file)}` };
  }
  const shiftedStart = (seconds: number) => start({ ...shifted(seconds), API_WORKERS: "1" });
  async function readyz({ internal }: Service) {
    const response = await fetch(`${internal}/readyz`);
    const { checks }: { checks: Record<string, string> } = JSON.parse(await response.text());
    return { status: response.status, clock: checks.clock };
  }
  async function offsetOf({ internal }: Service, store: string): Promise<number> {
    const text = await (await fetch(`${internal}/metrics`)).text();
    const line = new RegExp(`^livecore_clock_offset_seconds\\{store="${store}"[^}]*\\} (\\S+)$`, "m");
    return Number(line.exec(text)?.[1]);
  }
  async function issuedAt({ http }: Service): Promise<number> {
    const bearer = createApi(http).with({ "x-auth-mode": "bearer" });
    const username = `clock_${Math.random().toString(36).slice(2, 10)}`;
    const { body } = await bearer.call("register", {
      body: { username, email: `${username}@example.com`, password: "a long phrase for specs" },
    });
    return (decodeJwt((body as { access_token: string }).access_token).iat ?? 0) * 1_000;
  }

  it("answers /readyz with 503 and issues tokens by the stores' time when it is 8 s ahead", async () => {
    const service = await shiftedStart(8);
    await service.ready();

    const { status, clock } = await readyz(service);

    expect(status).equal(503);
    expect(clock).match(/^the host's clock is [78]\.\d s ahead of MongoDB's; sweeps are stopped$/);
    for (const store of ["mongodb", "redis"]) expect(await offsetOf(service, store)).within(7.9, 8.1);
    expect(await issuedAt(service)).within(Date.now() - 60_000, Date.now() + 100);
    expect(service.output()).include("clocks differ: sweeps stopped");

    shift(0);
    await eventually(async () => (await readyz(service)).status === 200, { withinMs: 10_000 });
    expect((await readyz(service)).clock).equal("ok");
  });

  it("answers /readyz with 503 as soon as the clock jumps, and keeps its time", async () => {
    const service = await shiftedStart(0);
    await service.ready();
    expect(await readyz(service)).deep.equal({ status: 200, clock: "ok" });

    shift(300);

    await eventually(async () => (await readyz(service)).status === 503, { withinMs: 2_000 });
    expect(await issuedAt(service)).within(Date.now() - 60_000, Date.now() + 100);
    const isLogged = () => service.output().includes("host clock jumped");
    await eventually(isLogged, { withinMs: 15_000, what: "the jump is logged" });
  });

  it("doesn't start when it is five minutes ahead", async () => {
    const service = await shiftedStart(300);

    expect(await service.ended).equal(1);
    expect(service.output()).match(
      /clocks differ too much: the host's clock is \d+\.\d s ahead of MongoDB's/,
    );
  });

  it("runs an operator's command by MongoDB's time", async () => {
    const database = await takeDatabase();
    const rotate = (seconds: number) =>
      operate("deploy/commands/keys", ["rotate"], {
        home: folder,
        database: database.name,
        env: shifted(seconds),
      });
    const { stdout } = await rotate(8);
    await database.giveBack();

    const signsFrom = Date.parse(/from (\S+Z)\./.exec(stdout)?.[1] ?? "");
    expect(signsFrom - 2 * MINUTE_MS).within(Date.now() - 30_000, Date.now());
  });

  const COMMANDS = [
    ["deploy/commands/keys", "rotate"],
    ["deploy/commands/staff", "grant", "nobody_at_all"],
    ["deploy/commands/rollups", "rebuild"],
    ["deploy/commands/restored", "--backup-time", new Date().toISOString()],
  ] as const;
  for (const [module, ...args] of COMMANDS) {
    it(`refuses npm run ${basename(module)} ${args[0]} when the clock is five minutes ahead`, async () => {
      const env = shifted(300);

      const { code, stderr } = await operate(module, args, { home: folder, database: "not_used", env });

      expect(code, stderr).equal(1);
      expect(stderr).match(/clocks differ too much/);
    });
  }

  it("names every command that takes the time", () => {
    const takesTime = (file: string) => {
      const source = readFileSync(join(projectRoot, "deploy/commands", file), "utf8");
      return source.includes("runCommand(") && source.includes("processClock");
    };
    const commands = readdirSync(join(projectRoot, "deploy/commands")).filter((file) => file.endsWith(".ts"));

    expect(commands.filter(takesTime).map((file) => `deploy/commands/${basename(file, ".ts")}`)).members(
      COMMANDS.map(([module]) => module),
    );
  });

  it("completes the schema by MongoDB's time, and not at all when it is five minutes ahead", async () => {
    const client = await new MongoClient(process.env.MONGODB_URL ?? "").connect();
    const database = `livecore_spec_clocks_${process.pid}`;
    const migrate = (seconds: number) =>
      operate("deploy/commands/migrate", [], { home: folder, database, env: shifted(seconds) });
    const applied = () => client.db(database).collection<{ appliedAt: Date }>("migrations").find().toArray();
    try {
      const refused = await migrate(300);
      expect(refused.code).equal(1);
      expect(refused.stderr).match(/clocks differ too much/);
      expect(await applied()).deep.equal([]);

      expect((await migrate(8)).code).equal(0);
      const times = (await applied()).map(({ appliedAt }) => appliedAt.getTime());
      expect(Math.max(...times)).within(Date.now() - 60_000, Date.now() + 100);
    } finally {
      await client.db(database).dropDatabase();
      await client.close();
    }
  });
});
