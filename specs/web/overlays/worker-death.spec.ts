// @waits: for a service to start, for a worker to come back, and for alerts, which stand on the screen for seconds.
import { expect } from "chai";
import { createClient, type LivecoreClient } from "../../../clients/typescript/src/index.ts";
import { openService } from "../../realtime/failures/with-service.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import { addressOf, openOverlay } from "./open-overlay.ts";

const PASSWORD = "a long phrase for specs";

describe("overlays while the workers that they are connected to are killed", function () {
  this.timeout(180_000);
  const browser = setUpChromium();
  let opened: Awaited<ReturnType<typeof openService>>;
  before(async () => {
    opened = await openService({ REALTIME_WORKERS: "1", RATE_LIMIT_FACTOR: "1000" });
  });
  after(() => opened?.end());

  async function signedUp(username: string): Promise<LivecoreClient> {
    const client = createClient({ baseUrl: opened.service.http });
    await client.call("register", {
      body: { username, email: `${username}@example.com`, password: PASSWORD },
    });
    return client;
  }

  it("connect again by themselves, and show each alert once", async () => {
    const owner = await signedUp("owner_o");
    const { id: stream_id, user_id } = await owner.call("getMyStream");
    const body = { kind: "alerts" as const, name: "Mine", settings: { alert_seconds: 2 } };
    const overlay = await owner.call("createOverlay", { path: { stream_id }, body });
    const { page, shown } = await openOverlay(browser.context, addressOf(opened.service.http, overlay));
    await page.waitForSelector(".overlay");

    const follow = async (username: string) => {
      const fan = await signedUp(username);
      await fan.call("followUser", { path: { user_id } });
    };
    const until = (names: string[]) =>
      eventually(() => expect(shown).deep.equal(names.map((name) => `${name} followed`)), {
        withinMs: 60_000,
        what: "alerts",
      });
    // A later read may show an alert before another worker is there.
    const liveWorker = () =>
      eventually(
        () => {
          const worker = opened.service.workers().find(({ kind }) => kind === "realtime");
          if (!worker) throw new Error("no realtime worker lives");
          return worker.pid;
        },
        { withinMs: 60_000, what: "a worker" },
      );
    await follow("fan_a");
    await until(["fan_a"]);
    for (const [name, before] of [
      ["fan_b", ["fan_a"]],
      ["fan_c", ["fan_a", "fan_b"]],
    ] as const) {
      process.kill(await liveWorker(), "SIGKILL");
      // While there is none.
      await follow(name);
      await until([...before, name]);
    }
    await page.close();
  });
});
