import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { findVictim } from "../../deploy/development/demo/kill.ts";
import { type Claim, claimHome } from "../../deploy/processes/primary/claim.ts";

describe("npm run demo -- --kill", () => {
  const here = "http://127.0.0.1:8080";
  let home: string;
  let claim: Claim | null = null;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "livecore-demo-"));
  });
  afterEach(() => {
    claim?.release();
    claim = null;
    rmSync(home, { recursive: true, force: true });
  });

  /** A primary runs on `home`, with workers of these kinds: all of them this very process, which lives. */
  async function running(kinds: string[]): Promise<void> {
    claim = await claimHome(home, () => undefined);
    claim.recordWorkers(kinds.map((kind) => ({ pid: process.pid, kind })));
  }

  it("finds a realtime worker of the service that runs here", async () => {
    await running(["api", "realtime", "jobs", "realtime"]);

    expect(findVictim(here, home)).include({ pid: process.pid, kind: "realtime" });
    expect(findVictim("http://localhost:9000", home).kind).equal("realtime");
  });

  it("refuses a service on another machine", async () => {
    await running(["realtime", "realtime"]);

    expect(() => findVictim("https://live.example", home)).throw("on this machine alone");
  });

  it("refuses when nobody runs on that home", () => {
    expect(() => findVictim(here, home)).throw("`npm start`");
  });

  it("refuses to kill the only worker that holds sockets", async () => {
    await running(["api", "realtime"]);

    expect(() => findVictim(here, home)).throw("REALTIME_WORKERS=2");
  });
});
