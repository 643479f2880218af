import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { codeAt } from "../../actors/accounts/two-factor/one-time-codes.ts";
import { haveEvening } from "../../deploy/development/demo/evening.ts";
import { secretIn } from "../../deploy/development/demo/make-staff.ts";
import { createProgress } from "../../deploy/development/demo/report.ts";
import { movableClock } from "../support/clock.ts";
import { operate } from "../support/operate.ts";
import { openWorld, type World } from "../support/world.ts";

/** So that the minutes for which the evening waits go by in seconds. */
const HURRY = 12;

describe("npm run demo", function () {
  this.timeout(120_000);
  let world: World;
  let home: string;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), "livecore-demo-"));
    world = await openWorld({ clock: movableClock() });
  });
  after(async () => {
    await world?.close();
    rmSync(home, { recursive: true, force: true });
  });

  async function makeStaff(username: string): Promise<() => string> {
    const database = world.core.mongo.db.databaseName;
    const grant = ["grant", username, "--totp"];
    const { code, stdout, stderr } = await operate("deploy/commands/staff", grant, { home, database });
    expect(code, stderr).equal(0);
    const secret = secretIn(stdout);
    return () => codeAt(secret, world.clock.now());
  }

  it("has an evening whose counts all add up", async () => {
    const lines: string[] = [];
    const { checks } = await haveEvening({
      ffmpeg: null,
      baseUrl: world.baseUrl,
      watchUrl: world.baseUrl,
      ingestKey: world.ingestKey,
      viewers: 8,
      rate: 20,
      seed: 7,
      chatSeconds: 1,
      progress: createProgress({ write: (line) => lines.push(line) }),
      async pass(ms) {
        world.clock.move(ms * (HURRY - 1));
        await pause(ms);
      },
      halfway: null,
      makeStaff,
      hasCheckoutPage: true,
    });

    expect(checks.filter(({ ok }) => !ok)).deep.equal([]);
    const seen = Object.fromEntries(checks.map(({ what, seen }) => [what, seen]));
    // 8 viewers, of which one has no account.
    expect(seen).include({
      "viewers that saw every message once, in order": "8",
      "points for first follows": "2100",
      "redemptions that are fulfilled": "5",
      "redemptions that are refunded": "2",
      "subscribers, as the creator sees them": "6",
      "cents of tips": "500",
      "the report is": "actioned",
      "minutes from the decision to the end of the ban": "10",
      "viewers that arrived with it": "6",
      "points for arriving": "1500",
    });
    expect(lines.filter((line) => line.startsWith("✓"))).lengthOf(14);
  });
});
