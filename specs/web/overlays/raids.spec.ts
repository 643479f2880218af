// @waits: for alerts, which stand on the screen for seconds.
import { expect } from "chai";
import { RAID_COUNTDOWN_MS } from "../../../store/mongo/raids/raids.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { movableClock } from "../../support/clock.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { addressOf, createOverlay, openOverlay } from "./open-overlay.ts";

describe("raids in an overlay", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("lose their text with a ban of the raider, in the chat and on the alert", async () => {
    const [channel, raider] = [await given.liveChannel(), await given.liveChannel()];
    const open = async (kind: "alerts" | "chat") => {
      const overlay = await createOverlay(channel, { kind, settings: { alert_seconds: 30 } });
      const { page } = await openOverlay(browser.context, addressOf(world.baseUrl, overlay));
      await page.waitForSelector(".overlay");
      return page;
    };
    const [alerts, chat] = [await open("alerts"), await open("chat")];
    // Until they follow the room they hear of nothing.
    await channel.owner.api.ok("sendChatMessage", { params: channel.at, body: { content: "First" } });
    await chat.waitForSelector(".line >> text=First");
    const body = { target_user_id: channel.owner.id, message: "Raiders rule" };
    await raider.owner.api.ok("createRaid", { body });
    world.clock.move(RAID_COUNTDOWN_MS);
    await alerts.waitForSelector(".alert .message >> text=Raiders rule");
    await chat.waitForSelector(".line >> text=Raiders rule");

    const params = { ...channel.at, user_id: raider.owner.id };
    await channel.owner.api.ok("banUser", { params, body: {} });

    await alerts.waitForSelector(".alert .message", { state: "detached" });
    expect(await alerts.textContent(".alert")).contain(`${raider.owner.username} raids`);
    await chat.waitForSelector(".line >> text=Raiders rule", { state: "detached" });
    expect(await chat.textContent(".lines")).contain("First");
  });
});
