// @waits: for a service to start.
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { startStoreProcess } from "../../deploy/development/stores/store-process.ts";
import { SETTINGS } from "../../deploy/processes/config/settings.ts";
import { WORKER_KINDS, type WorkerKind } from "../../deploy/processes/config/worker-kinds.ts";
import { WORKER_VARIABLE } from "../../deploy/processes/process/messages.ts";
import { eventually } from "../support/eventually.ts";
import { serviceHarness } from "../support/service.ts";

const made = () => randomBytes(32).toString("hex");

/** Which kinds may have each secret, as docs/security.md promises. */
const HELD_BY: Readonly<Record<string, readonly WorkerKind[]>> = {
  MASTER_KEY: ["realtime", "api", "jobs"],
  MASTER_KEY_OLD: ["realtime", "api", "jobs"],
  INGEST_KEYS: ["api"],
  MEDIA_KEYS: ["api"],
  MEDIA_WEBHOOK_SECRETS: ["api"],
  MEDIA_REQUEST_SECRETS: ["api", "jobs"],
  BILLING_KEYS: ["api", "jobs"],
  BILLING_WEBHOOK_SECRETS: ["api", "jobs"],
  EDGE_CONFIG_KEYS: ["api"],
  EDGE_KEYS: ["api"],
  SYSTEM_KEY: ["api", "jobs"],
  WEBHOOK_SECRETS: ["api", "jobs"],
  STRIPE_SECRET_KEY: ["api", "jobs"],
  STRIPE_WEBHOOK_SECRETS: ["api"],
  SMTP_URL: ["jobs"],
  OAUTH_PROVIDERS: ["api"],
  S3_ACCESS_KEY_ID: ["api", "jobs"],
  S3_SECRET_ACCESS_KEY: ["api", "jobs"],
  VAPID_PRIVATE_KEY: ["api", "jobs"],
  APNS_KEY: ["jobs"],
  FCM_SERVICE_ACCOUNT: ["jobs"],
};

const LOOKS_SECRET = /SECRET|KEYS?$|MASTER_KEY|SMTP_URL|ACCOUNT|PROVIDERS|ACCESS_KEY/;

const environmentOf = (pid: number): Map<string, string> =>
  new Map(
    readFileSync(`/proc/${pid}/environ`, "utf8")
      .split("\0")
      .filter((entry) => entry !== "")
      .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );

describe("environments of processes", function () {
  this.timeout(120_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  before(function () {
    if (!existsSync("/proc/self/environ")) this.skip();
  });
  afterEach(() => end());

  it("names the holders of every variable that looks like a secret", () => {
    const names = Object.values(SETTINGS).map(({ name }) => name);
    expect(names.filter((name) => LOOKS_SECRET.test(name))).members(Object.keys(HELD_BY));
  });

  it("gives each kind of worker the secrets that it uses, and nothing of the shell", async () => {
    const secrets = {
      ...Object.fromEntries(
        [
          ...["MASTER_KEY", "MASTER_KEY_OLD", "INGEST_KEYS", "MEDIA_KEYS", "MEDIA_WEBHOOK_SECRETS"],
          ...["MEDIA_REQUEST_SECRETS", "BILLING_KEYS", "BILLING_WEBHOOK_SECRETS", "EDGE_CONFIG_KEYS"],
          ...["EDGE_KEYS", "SYSTEM_KEY", "WEBHOOK_SECRETS", "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRETS"],
        ].map((name) => [name, made()]),
      ),
      SMTP_URL: `smtp://livecore:${made()}@127.0.0.1:9`,
    };
    const service = await start({
      ...secrets,
      AWS_SECRET_ACCESS_KEY: made(),
      DATABASE_PASSWORD: made(),
      API_WORKERS: "1",
      TZ: "UTC",
      // Without VS Code's script in NODE_OPTIONS nothing reads it.
      VSCODE_INSPECTOR_OPTIONS: "none",
    });
    await service.ready();

    const kinds = new Set<string>();
    for (const { pid } of service.workers()) {
      const env = environmentOf(pid);
      const kind = WORKER_KINDS.find((one) => one === env.get(WORKER_VARIABLE));
      if (kind === undefined) throw new Error(`process ${pid} is no worker`);
      kinds.add(kind);
      for (const [name, value] of Object.entries(secrets)) {
        const isHeld = HELD_BY[name]?.includes(kind) ?? false;
        expect(env.get(name), `${name} of ${kind}`).equal(isHeld ? value : undefined);
      }
      expect([...env.keys()], kind).not.include.members(["AWS_SECRET_ACCESS_KEY"]);
      expect([...env.keys()], kind).not.include.members(["DATABASE_PASSWORD"]);
      expect(env.get("TZ")).equal("UTC");
      expect(env.get("VSCODE_INSPECTOR_OPTIONS"), "where a debugger waits").equal("none");
      expect(env.get("MONGODB_URL")).equal(service.env.MONGODB_URL);
    }
    expect([...kinds]).members([...WORKER_KINDS]);
  });

  it("gives a store nothing of the service's configuration", async () => {
    const folder = mkdtempSync(join(tmpdir(), "livecore-store-"));
    process.env.MASTER_KEY = made();
    try {
      const record = join(folder, "process.json");
      const store = await startStoreProcess({
        title: "a store",
        folder,
        say: () => undefined,
        signal: new AbortController().signal,
        lastPort: null,
        command: async () => ({ path: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] }),
        ready: async () => undefined,
      });
      try {
        const { pid } = JSON.parse(readFileSync(record, "utf8"));
        // A new process has its parent's environment until it runs its own program.
        await eventually(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("setInterval"));
        const allowed = /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TZDIR|TMPDIR|\w+_LIBRARY_PATH)$/;
        expect([...environmentOf(pid).keys()].filter((name) => !allowed.test(name))).deep.equal([]);
        expect(environmentOf(pid).get("PATH")).equal(process.env.PATH);
      } finally {
        await store.stop();
      }
    } finally {
      delete process.env.MASTER_KEY;
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
