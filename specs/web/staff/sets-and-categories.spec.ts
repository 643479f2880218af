// @waits: for browsers to lay pages out.
import { expect } from "chai";
import { setUpChromium } from "../../support/chromium.ts";
import type { Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { image } from "../../support/images.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { setUpPage } from "../console/set-up-page.ts";
import { servePublicFiles } from "../public-files.ts";
import { signInStaff } from "./sign-in-staff.ts";

describe("staff pages of what all channels use", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const { page } = setUpPage(browser);
  let staff: Person;

  before(async () => {
    await servePublicFiles(browser.context, world.baseUrl);
    staff = await givenStaff(world, given).staff();
  });
  beforeEach(() => signInStaff(browser.context, world.baseUrl, staff));

  const open = (path: string) => page().goto(world.baseUrl + path);
  const submit = () => page().click("dialog button[type=submit]");
  async function choosePicture(side: number): Promise<void> {
    const { body } = await image("png", side);
    await page().setInputFiles("dialog [type=file]", { name: "a.png", mimeType: "image/png", buffer: body });
    await page().waitForSelector("dialog canvas");
  }

  it("add a global badge, give it to a user, take it back, and delete it", async () => {
    const user = await given.user();
    const worn = async () =>
      (await user.api.ok("listUserBadges", { params: { username: user.username } })).items.map(
        ({ badge }) => badge.name,
      );
    await open("/staff/sets");
    await page().click("text=Add badge");
    await choosePicture(90);
    await page().fill("dialog [name=name]", "Translator");
    await submit();
    await page().click("[aria-label='Give Translator to someone']");
    await page().fill("dialog [name=username]", user.username);
    await submit();
    await page().waitForSelector(`.toast:has-text("${user.username} has Translator now.")`);
    expect(await worn()).deep.equal(["Translator"]);

    await page().fill("dialog [name=username]", user.username);
    await page().click("dialog >> text=Take it back");
    await page().waitForSelector(`.toast:has-text("${user.username} doesn't have Translator any more.")`);
    expect(await worn()).deep.equal([]);

    await page().keyboard.press("Escape");
    await page().click("[aria-label='Delete Translator']");
    await submit();
    await page().waitForSelector(".rows li:has-text('Translator')", { state: "detached" });
    const badges = (await world.api.ok("listBadges")).items.map(({ name }) => name);
    expect(badges).not.include("Translator");
  });

  it("add a global emote, which everybody may write", async () => {
    await open("/staff/sets");
    await page().click("text=Add emote");
    await choosePicture(300);
    await page().fill("dialog [name=name]", "everybodyWaves");
    expect(await page().locator("dialog select").count()).equal(0);
    await submit();

    await page().waitForSelector(".rows li:has-text('everybodyWaves')");
    const emotes = (await world.api.ok("listGlobalEmotes")).items.map(({ name }) => name);
    expect(emotes).include("everybodyWaves");
  });

  it("add, edit and delete a category, and its cover", async () => {
    const find = async (q: string) =>
      (await world.api.ok("search", { query: { q, type: "categories" } })).categories[0];
    await open("/staff/categories");
    await page().click("text=Add category");
    await page().fill("dialog input[name=name]", "Speedruns");
    await page().fill("dialog input[name=tags]", "fast, games");
    await submit();
    await page().waitForSelector("text=Speedruns is added.");
    const category_id = (await find("Speedruns"))?.id ?? "";
    // The list of all may be several pages.
    await page().fill("input[name=q]", "Speedruns");
    const read = () => staff.api.ok("getCategory", { params: { category_id } });

    await page().click("[aria-label='Edit Speedruns']");
    await page().fill("dialog input[name=name]", "Speedruns, slow");
    await page().fill("dialog input[name=tags]", "games");
    await submit();
    await page().waitForSelector("text=Speedruns, slow is saved.");
    expect(await read()).deep.include({ name: "Speedruns, slow", tags: ["games"] });

    await page().click("[aria-label='Change the cover of Speedruns, slow']");
    await choosePicture(900);
    await submit();
    await page().waitForSelector("li:has-text('Speedruns, slow') img.cover");
    expect((await read()).cover_image).a("string");
    await page().click("[aria-label='Change the cover of Speedruns, slow']");
    await page().click("dialog >> text=Delete cover");
    await page().waitForSelector("li:has-text('Speedruns, slow') span.cover");
    expect((await read()).cover_image).equal(null);

    await page().click("[aria-label='Delete Speedruns, slow']");
    await submit();
    await page().waitForSelector("li:has-text('Speedruns, slow')", { state: "detached" });
    expect((await staff.api.call("getCategory", { params: { category_id } })).status).equal(404);
  });

  it("feature a channel", async () => {
    const { owner } = await given.channel();
    await open("/staff/featured");
    await page().fill("input[name=username]", owner.username);
    await page().click("form.add >> text=Add");
    await page().waitForSelector(`.users >> text=${owner.username}`);

    const featured = await staff.api.ok("listFeatured");
    expect(featured.items.map(({ id }) => id)).include(owner.id);
  });
});
