// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { NewReward } from "../../contract/wire.ts";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang, plainTexts } from "./in-page.mjs";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

const SOON = { withinMs: 10_000, everyMs: 20 };
const DESKTOP = { width: 1_280, height: 800 };
const PHONE = { width: 360, height: 740 };
const UNAVAILABLE = { code: "unavailable", message: "", details: { retry_after_ms: 1 }, request_id: "spec" };

describe("points and predictions on the watch page", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let bob: Person;
  let page: Page;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.followerOf(channel);
    bob = await given.followerOf(channel);
    page = await browser.context.newPage();
    await page.setViewportSize(DESKTOP);
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
  });

  async function open(reader: Person | null): Promise<void> {
    if (reader) await signIn(browser.context, world.baseUrl, reader);
    await page.goto(`${world.baseUrl}/${channel.owner.username}`);
    await page.waitForSelector("text=No messages yet.");
    if (reader) await balanceIs(300);
  }
  const balanceIs = (points: number) =>
    eventually(
      async () => expect(await page.textContent(".points-bar .balance")).equal(String(points)),
      SOON,
    );

  /** With the outcomes "Yes" and "No". */
  async function openPrediction() {
    const body = { title: "Will it?", outcomes: [{ title: "Yes" }, { title: "No" }], duration_seconds: 600 };
    const { id, outcomes } = await channel.owner.api.ok("createPrediction", { params: channel.at, body });
    const [yes, no] = outcomes.map((outcome) => outcome.id);
    return { params: { prediction_id: id }, yes: yes ?? "", no: no ?? "" };
  }
  const betAs = (
    who: Person,
    { params }: { params: { prediction_id: string } },
    outcome_id: string,
    amount: number,
  ) => who.api.ok("placeBet", { params, body: { outcome_id, amount } });
  const bet = (amount: string) =>
    page.click(`.bet >> text=${amount}`).then(() => page.click(".bet [type=submit]"));
  /** Each try reaches the service, and this is all that the browser hears of it. */
  async function answerLost(path: string, how: "nothing" | "unavailable"): Promise<void> {
    await page.unroute(path);
    await page.route(path, async (route) => {
      await route.fetch();
      if (how === "nothing") await route.abort();
      else await route.fulfill({ status: 503, json: UNAVAILABLE });
    });
  }
  const own = (text: string) => page.waitForSelector(`.prediction .own:has-text("${text}")`);

  describe("prediction card", () => {
    it("takes a bet and more on it, and tells the payout when the prediction is resolved", async () => {
      await open(ada);
      const prediction = await openPrediction();
      await betAs(bob, prediction, prediction.no, 100);
      await page.waitForSelector(".prediction li:has-text('No') >> text=1 viewer");
      await page.click(".outcome >> text=Yes");
      await page.click(".bet >> text=Half");
      await page.waitForSelector("text=Pays 250 points if “Yes” wins, at these odds.");
      await page.click(".bet [type=submit]");
      await own("You bet 150 points on “Yes”. At these odds it pays 250 points.");
      await balanceIs(150);
      await page.click("text=Add points");
      await bet("10%");
      await own("You bet 165 points on “Yes”.");
      await channel.owner.api.ok("lockPrediction", prediction);
      await page.waitForSelector("text=Betting is closed");
      expect(await page.locator(".bet").count()).equal(0);
      await channel.owner.api.ok("resolvePrediction", {
        ...prediction,
        body: { outcome_id: prediction.yes },
      });
      await own("You won 265 points.");
      await balanceIs(400);
    });

    it("tells a lost bet, and stays until the reader closes it", async () => {
      await open(ada);
      const prediction = await openPrediction();
      await betAs(bob, prediction, prediction.no, 100);
      await page.click(".outcome >> text=Yes");
      await bet("All in");
      await own("You bet 300 points");
      await channel.owner.api.ok("resolvePrediction", { ...prediction, body: { outcome_id: prediction.no } });
      await own("You lost 300 points.");
      await page.waitForSelector(".prediction [data-winner=true]:has-text('No')");
      await page.click("[aria-label='Close result']");
      await page.waitForSelector(".prediction", { state: "detached" });
    });

    it("pays a bet back when the prediction is cancelled", async () => {
      await open(ada);
      const prediction = await openPrediction();
      await page.click(".outcome >> text=No");
      await bet("All in");
      await balanceIs(0);
      await channel.owner.api.ok("cancelPrediction", prediction);
      await page.waitForSelector("text=Prediction cancelled");
      await own("You got your 300 points back.");
      await balanceIs(300);
    });

    it("shows a bet that another client of the user has placed, which can only be added to", async () => {
      await open(ada);
      const prediction = await openPrediction();
      await page.waitForSelector("button.outcome");
      await betAs(ada, prediction, prediction.no, 40);
      await own("You bet 40 points on “No”.");
      expect(await page.locator("button.outcome").count()).equal(0);
      await page.reload();
      await own("You bet 40 points on “No”.");
    });

    it("says what to do about an amount above the balance, and a bet that comes too late", async () => {
      await open(ada);
      const prediction = await openPrediction();
      await page.click(".outcome >> text=Yes");
      await page.fill(".bet input", "301");
      await page.waitForSelector("text=You have only 300 points. Bet less, or watch to earn more.");
      expect(await page.isDisabled(".bet [type=submit]")).equal(true);
      await page.fill(".bet input", "30");
      await page.route("**/bets", async (route) => {
        await channel.owner.api.ok("resolvePrediction", {
          ...prediction,
          body: { outcome_id: prediction.yes },
        });
        await route.continue();
      });
      const answer = page.waitForResponse("**/bets");
      await page.click(".bet [type=submit]");
      expect((await answer).status()).equal(409);
      await page.waitForSelector("text=“Yes” won");
      await balanceIs(300);
    });

    it("places a bet once whose answer was lost or a 503, however often it is sent", async () => {
      await open(ada);
      const prediction = await openPrediction();
      await answerLost("**/bets", "nothing");
      await page.click(".outcome >> text=Yes");
      await bet("Half");
      await page.waitForSelector(".bet .fault");
      await answerLost("**/bets", "unavailable");
      await page.click(".bet [type=submit]");
      await page.waitForSelector(".bet .fault >> text=busy");
      await page.unroute("**/bets");
      await page.click(".bet [type=submit]");
      await page.waitForSelector("text=Add points");
      const { amount } = await ada.api.ok("getMyBet", prediction);
      expect(amount).equal(150);
      await balanceIs(150);
    });

    it("is right after a reconnect: what was resolved meanwhile, and what it paid", async () => {
      await open(ada);
      const prediction = await openPrediction();
      await betAs(bob, prediction, prediction.no, 100);
      await page.click(".outcome >> text=Yes");
      await bet("Half");
      await own("You bet 150 points");
      await browser.context.setOffline(true);
      try {
        await page.waitForSelector("text=You are offline.");
        await channel.owner.api.ok("resolvePrediction", {
          ...prediction,
          body: { outcome_id: prediction.yes },
        });
      } finally {
        await browser.context.setOffline(false);
      }
      await own("You won 250 points.");
      await balanceIs(400);
    });

    it("shows readers without an account the odds and the way to log in, and the owner that betting isn't theirs", async () => {
      await open(null);
      const prediction = await openPrediction();
      await betAs(bob, prediction, prediction.no, 100);
      await page.waitForSelector(".prediction li:has-text('No') >> text=100%");
      expect(await page.getAttribute(".prediction >> text=Log in to bet.", "href")).include("/sign-in?next=");
      expect(await page.locator(".points-bar, button.outcome").count()).equal(0);
      await signIn(browser.context, world.baseUrl, channel.owner);
      await page.goto(`${world.baseUrl}/${channel.owner.username}`);
      await page.waitForSelector("text=You can't bet on your own channel.");
    });
  });

  describe("balance", () => {
    it("grows while the reader watches, and takes a waiting bonus by a button", async () => {
      await open(ada);
      for (let window = 1; window <= 3; window++)
        await world.core.points.earnPresence({
          userId: ada.id,
          channelUserId: channel.owner.id,
          streamId: channel.stream.id,
          window,
        });
      await balanceIs(330);
      await page.click("text=Claim +50");
      await balanceIs(380);
      await page.waitForSelector(".claim", { state: "detached" });
      await page.click(".points-bar .balance");
      await page.click("[role=tab] >> text=History");
      await page.waitForSelector(".points-entries li");
      expect(await page.locator(".points-entries b").allTextContents()).deep.equal([
        ...["Bonus claimed", "Watched live", "Watched live", "Watched live", "First follow"],
      ]);
    });
  });

  describe("rewards", () => {
    const offer = (body: Partial<NewReward>) =>
      channel.owner.api.ok("createReward", { body: { title: "Hydrate", cost: 100, ...body } });
    async function openRewards(): Promise<void> {
      await page.click(".points-bar .balance");
      await page.waitForSelector(".reward");
    }
    const tile = (title: string) => page.locator(".reward", { hasText: title });

    it("asks for the text that a reward needs, and tells when the redemption is fulfilled", async () => {
      await offer({ title: "Name a boss", requires_input: true });
      await open(ada);
      await openRewards();
      await tile("Name a boss").click();
      await page.fill(".redeem textarea", "Bobby");
      await page.click(".redeem [type=submit]");
      await balanceIs(200);
      await page.click("[role=tab] >> text=Redeemed");
      await page.waitForSelector(".points-entries li:has-text('Bobby') >> text=Waiting");
      const { items } = await channel.owner.api.ok("listRedemptions");
      await channel.owner.api.ok("fulfilRedemption", { params: { redemption_id: items[0]?.id ?? "" } });
      await page.waitForSelector(".points-entries li:has-text('Bobby') >> text=Fulfilled");
      await page.waitForSelector(".toast >> text=“Name a boss” was fulfilled.");
    });

    it("gives the points back with a refund, and says so while the rewards are closed", async () => {
      const reward = await offer({});
      await open(ada);
      const { id } = await ada.api.ok("redeemReward", { params: { reward_id: reward.id }, body: {} });
      await balanceIs(200);
      await channel.owner.api.ok("refundRedemption", { params: { redemption_id: id } });
      await page.waitForSelector(".toast >> text=“Hydrate” was refunded. You have 100 points back.");
      await balanceIs(300);
      await page.click(".points-bar .balance");
      await page.click("[role=tab] >> text=Redeemed");
      await page.waitForSelector(".points-entries [data-status=refunded]");
    });

    it("redeems once what is sent again after its answer was a 503", async () => {
      await offer({});
      await open(ada);
      await openRewards();
      await answerLost("**/redeem", "unavailable");
      await tile("Hydrate").click();
      await page.click(".redeem [type=submit]");
      await page.waitForSelector(".redeem .fault");
      await page.unroute("**/redeem");
      await page.click(".redeem [type=submit]");
      await page.waitForSelector(".redeem", { state: "detached" });
      expect((await ada.api.ok("listMyRedemptions")).items).length(1);
    });

    it("says what keeps the reader from a reward, also what others have redeemed before and since", async () => {
      const cooling = await offer({ title: "Cooling", cooldown_seconds: 600 });
      const single = await offer({ title: "Single", max_per_stream: 1 });
      await offer({ title: "Paused", is_paused: true });
      await offer({ title: "Dear", cost: 1_000 });
      await offer({ title: "Hidden", is_enabled: false });
      const redeem = ({ id }: { id: string }) =>
        bob.api.ok("redeemReward", { params: { reward_id: id }, body: {} });
      await redeem(cooling);
      await open(ada);
      await openRewards();
      await eventually(
        async () => expect(await tile("Cooling").textContent()).match(/Ready in 9:\d\d/),
        SOON,
      );
      expect(await page.locator(".reward .title").allTextContents()).not.include("Hidden");
      expect(await tile("Dear").textContent()).include("700 more needed");
      expect(await tile("Paused").locator(".bar").textContent()).equal("Paused");
      expect(await tile("Single").locator(".bar").count()).equal(0);
      await redeem(single);
      await eventually(async () => expect(await tile("Single").textContent()).include("Sold out"), SOON);
      await tile("Single").click();
      expect(await page.isDisabled(".redeem [type=submit]")).equal(true);
    });

    it("has a key for every text of prediction, panel and dialog, and room for texts a third longer", async () => {
      const reward = await offer({ max_per_stream: 3, cooldown_seconds: 1 });
      await ada.api.ok("redeemReward", { params: { reward_id: reward.id }, body: {} });
      const prediction = await openPrediction();
      await signIn(browser.context, world.baseUrl, ada);
      await page.setViewportSize(PHONE);
      await page.goto(`${world.baseUrl}/${channel.owner.username}?lang=pseudo`);
      const found: string[] = [];
      const look = async () => {
        const texts = await page.evaluate(plainTexts);
        // Dates have their format from the browser.
        found.push(
          ...texts.filter((text) => !/^\d+ \w+ \d{4}/.test(text)),
          ...(await page.evaluate(overhang)),
        );
      };
      await page.click(".prediction .fold");
      await page.click("button.outcome >> nth=0");
      await page.click(".quick button >> nth=1");
      await look();
      await page.click(".bet [type=submit]");
      await page.waitForSelector(".add");
      await openRewards();
      await look();
      for (const section of [1, 2]) {
        await page.click(`.points-panel [role=tab] >> nth=${section}`);
        await page.waitForSelector(".points-entries");
        await look();
      }
      await page.click(".points-panel [role=tab] >> nth=0");
      await page.click(".reward");
      await look();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await channel.owner.api.ok("cancelPrediction", prediction);
      await page.waitForSelector("[data-result=returned]");
      await look();
      expect(found).deep.equal([]);
    });

    it("passes axe and fits the window, with panel, dialog and prediction open, in all forms", async () => {
      const reward = await offer({
        title: "x".repeat(45),
        description: "y".repeat(200),
        requires_input: true,
      });
      await ada.api.ok("redeemReward", {
        params: { reward_id: reward.id },
        body: { user_input: "z".repeat(200) },
      });
      const title = "w".repeat(25);
      const body = { title: "v".repeat(45), outcomes: [{ title }, { title: "No" }], duration_seconds: 600 };
      await channel.owner.api.ok("createPrediction", { params: channel.at, body });
      await signIn(browser.context, world.baseUrl, ada);
      const found: string[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        for (const size of [PHONE, DESKTOP]) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await page.setViewportSize(size);
          await page.goto(`${world.baseUrl}/${channel.owner.username}?${colorScheme}`);
          await page.evaluate(axe.source);
          const look = async (what: string) => {
            const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
            found.push(...faults.map((fault) => `${what} ${colorScheme} ${size.width}: ${fault}`));
          };
          if (size === PHONE) await page.click(".prediction .fold");
          await page.click("button.outcome >> nth=0");
          await page.click(".bet >> text=Half");
          await look("prediction");
          await openRewards();
          await look("rewards");
          for (const section of ["Redeemed", "History"]) {
            await page.click(`[role=tab] >> text=${section}`);
            await page.waitForSelector(".points-entries");
            await look(section);
          }
          await page.click("[role=tab] >> text=Rewards");
          await page.click(".reward");
          await look("dialog");
          await page.keyboard.press("Escape");
          await page.waitForSelector(".redeem", { state: "detached" });
          await page.keyboard.press("Escape");
          await page.waitForSelector(".points-panel", { state: "detached" });
          expect(await page.getAttribute(":focus", "class")).equal("balance");
        }
      }
      expect(found).deep.equal([]);
    });
  });
});
