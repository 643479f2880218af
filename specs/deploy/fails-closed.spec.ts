// @waits: for services to start, or to refuse to.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { useProjectCache } from "../support/program-cache.ts";
import { serviceHarness } from "../support/service.ts";

/** As in a shell in which nothing was set. */
const UNSET = { NODE_ENV: undefined, RATE_LIMIT_FACTOR: undefined };
/** Of this machine too, but not the loopback address that people and proxies use. */
const ELSEWHERE = "127.0.0.3";
/** A stop waits for clients that keep their connections. */
const GOES = { headers: { connection: "close" } };

describe("A start", function () {
  this.timeout(120_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "livecore-start-"));
    useProjectCache(home);
  });
  afterEach(async () => {
    await end();
    rmSync(home, { recursive: true, force: true });
  });

  const limitAt = async (http: string) =>
    (await fetch(`${http}/v1/streams`, GOES)).headers.get("ratelimit-limit");

  const reaches = (address: string, port: string | undefined) =>
    fetch(`http://${address}:${port}/healthz`, GOES).then(
      (answer) => answer.body?.cancel().then(() => true),
      () => false,
    );

  it("with nothing set brings its own stores, has limits for a demo, and listens on this machine alone", async () => {
    const service = await start({
      ...UNSET,
      MONGODB_URL: undefined,
      REDIS_URL: undefined,
      LIVECORE_HOME: home,
      API_WORKERS: "1",
    });
    try {
      await service.ready();

      expect(await limitAt(service.http)).equal("300000");
      for (const port of [service.env.PORT, service.env.REALTIME_PORT]) {
        expect(await reaches("127.0.0.1", port)).equal(true);
        expect(await reaches(ELSEWHERE, port)).equal(false);
      }
    } finally {
      service.signal("SIGTERM");
      await service.ended;
    }
  });

  it("in development on given stores keeps limits, listens at HOST and warns of shared secrets", async () => {
    const equal = randomBytes(32).toString("hex");
    const service = await start({
      ...UNSET,
      NODE_ENV: "development",
      HOST: "0.0.0.0",
      LIVECORE_HOME: home,
      API_WORKERS: "1",
      MASTER_KEY: equal,
      EDGE_KEYS: equal,
      SYSTEM_KEY: randomBytes(32).toString("hex"),
      BILLING_KEYS: randomBytes(32).toString("hex"),
    });
    await service.ready();

    expect(await limitAt(service.http)).equal("300");
    const linesWith = (text: string) =>
      service
        .output()
        .split("\n")
        .filter((line) => line.includes(text));
    const warnings = linesWith("shared by several services");
    expect(warnings).length(1);
    for (const name of ["SYSTEM_KEY", "INGEST_KEYS", "MEDIA_KEYS", "EDGE_CONFIG_KEYS"])
      expect(warnings[0]).include(name);
    expect(warnings[0]).not.include("BILLING_KEYS");
    const equals = linesWith("secret shared by two variables");
    expect(equals).length(1);
    expect(equals[0]).include("MASTER_KEY").include("EDGE_KEYS").not.include(equal);
    for (const port of [service.env.PORT, service.env.REALTIME_PORT]) {
      expect(await reaches(ELSEWHERE, port)).equal(true);
    }
  });

  it("on stores that were given, with nothing else set, asks for secrets instead of making them", async () => {
    const service = await start({ ...UNSET, LIVECORE_HOME: home });

    expect(await service.ended).equal(1);
    for (const name of ["INGEST_KEYS", "MASTER_KEY", "EDGE_KEYS"]) {
      expect(service.output().split(`${name} is missing`)).length(2);
    }
    expect(service.output()).include("set NODE_ENV=development");
  });
});
