// @waits: for a browser, and a broadcast in real time.
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { playSilently, secondOf } from "../in-page.mjs";
import { type Evening, killOne, setUpEvening } from "./set-up-evening.ts";
import type { Viewer } from "./viewer.ts";

/** One evening: each step goes on from the one before. */
describe("an evening of two viewers with browsers of their own", function () {
  this.timeout(240_000);
  this.bail(true);
  let service: Evening["service"];
  let studio: Evening["studio"];
  let guest: Evening["guest"];
  let ada: Viewer;
  let grace: Viewer;
  let both: Viewer[] = [];

  setUpEvening(async ({ publish, enter, ...evening }) => {
    ({ service, studio, guest } = evening);
    publish(studio.streamKey);
    publish(guest.streamKey);
    [ada, grace] = await Promise.all([enter("ada_l"), enter("grace_h")]);
    both = [ada, grace];
  });

  const each = (act: (viewer: Viewer) => Promise<void>) => Promise.all(both.map(act));

  it("begins with accounts that are verified by mail", async () => {
    for (const viewer of both) await viewer.signUp();
  });

  it("secures an account by two factors and a passkey, which opens it again", async () => {
    await grace.setUpTwoFactor();
    await grace.addPasskey();
    await grace.logOut();
    await grace.logInByPasskey();
  });

  it("shows both the broadcast", async () => {
    await each(async (viewer) => {
      await viewer.open(`/${studio.username}`);
      await viewer.watches();
      viewer.loads.reset();
    });
  });

  it("lets both talk with each other", async () => {
    await ada.say("good evening, Grace");
    await grace.hears("good evening, Grace");
    await grace.say("<b>good</b> evening, @ada_l");
    await ada.hears("<b>good</b> evening, @ada_l");
  });

  it("lets both follow the channel", async () => {
    await each(async ({ page }) => {
      await page.click(`[aria-label="Follow ${studio.username}"]`);
      await page.waitForSelector(`[aria-pressed=true][aria-label*="${studio.username}"]`);
    });
  });

  it("goes on while a worker of each kind is killed, and nobody reloads", async () => {
    for (const kind of ["api", "realtime", "jobs"] as const) killOne(service, kind);
    await ada.say("did you feel that?");
    await grace.hears("did you feel that?");
    await each((viewer) => viewer.watches());
    for (const { loads } of both) expect(loads.count()).equal(0);
  });

  it("takes bets, and pays the winner while both look on", async () => {
    const { id, outcomes } = await studio.client.call("createPrediction", {
      path: { stream_id: studio.streamId },
      body: {
        title: "Does it compile?",
        outcomes: [{ title: "Yes" }, { title: "No" }],
        duration_seconds: 600,
      },
    });
    await ada.page.click(".outcome >> text=Yes");
    await ada.page.click(".bet >> text=Half");
    await ada.page.click(".bet [type=submit]");
    await grace.page.click(".outcome >> text=No");
    await grace.page.click(".bet >> text=All in");
    await grace.page.click(".bet [type=submit]");
    for (const outcome of ["Yes", "No"])
      await ada.page.waitForSelector(`.prediction li:has-text("${outcome}") >> text=1 viewer`);
    const path = { prediction_id: id };
    await studio.client.call("lockPrediction", { path });
    await studio.client.call("resolvePrediction", { path, body: { outcome_id: outcomes[0]?.id ?? "" } });
    await ada.page.waitForSelector(".prediction .own:has-text('You won')");
    await grace.page.waitForSelector(".prediction .own:has-text('You lost')");
    await grace.page.waitForSelector("text=“Yes” won");
  });

  it("redeems a reward, which the channel fulfills", async () => {
    await studio.client.call("createReward", { body: { title: "Hydrate", cost: 100, requires_input: true } });
    await ada.page.click(".points-bar .balance");
    await ada.page.click(".reward:has-text('Hydrate')");
    await ada.page.fill(".redeem textarea", "water, please");
    await ada.page.click(".redeem [type=submit]");
    await grace.hears("water, please");
    const { items } = await studio.client.call("listRedemptions", { query: { status: "pending" } });
    await studio.client.call("fulfilRedemption", { path: { redemption_id: items[0]?.id ?? "" } });
    await ada.told("“Hydrate” was fulfilled.");
    await ada.page.click(".points-bar .balance");
  });

  it("subscribes and tips through the payment page, and comes back to the broadcast", async () => {
    const { page } = grace;
    await page.click("button:text-is('Subscribe')");
    await page.click(".tier:has-text('Tier 2')");
    await page.click("dialog [type=submit]");
    await page.click("button:text-is('Pay')");
    await page.waitForSelector(
      `.payment-notice:has-text("You are subscribed to ${studio.username} (tier 2).")`,
    );
    await page.click("button:text-is('Tip')");
    await page.click("dialog button:has-text('$5')");
    await page.click("dialog [type=submit]");
    await page.click("button:text-is('Pay')");
    await ada.hears("grace_h tipped $5.00.");
    await grace.watches();
    grace.loads.reset();
  });

  it("makes a clip that plays", async () => {
    const { page } = ada;
    await page.click(".controls [aria-label=Clip]");
    await page.waitForSelector(".cutter .length");
    await page.fill(".cutter [name=title]", "It compiles");
    await page.click(".cutter >> text=Create clip");
    await page.waitForSelector("text=Your clip is ready.");
    await page.click("text=Open clip");
    await page.waitForSelector(".clip-page video");
    await page.evaluate(playSilently);
    await eventually(async () => expect(await page.evaluate(secondOf)).above(1), { withinMs: 30_000 });
    await page.goBack();
    await ada.watches();
  });

  it("ends with a raid that carries both along", async () => {
    const raid = await studio.client.call("createRaid", { body: { target_user_id: guest.userId } });
    await each(async ({ page }) => {
      await page.waitForSelector(`.notice-bar:has-text("${guest.username}")`);
    });
    // Not before everybody has had ten seconds to stay.
    await eventually(async () => studio.client.call("startRaid", { path: { raid_id: raid.id } }), {
      withinMs: 30_000,
      everyMs: 500,
    });
    await each(async ({ page }) => {
      await page.waitForURL(`**/${guest.username}`);
      await page.waitForSelector(`.notice-bar:has-text("You joined a raid")`);
    });
    await each((viewer) => viewer.watches());
    for (const { loads } of both) expect(loads.count()).equal(0);
  });
});
