// @waits: for a browser, and for what the jobs list.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { newId } from "../../base/ids.ts";
import { readOpenApi } from "../../contract/openapi-document.ts";
import type { Notification } from "../../contract/wire.ts";
import {
  type NotificationFact,
  notificationFactsIn,
} from "../../store/mongo/notifications/notification-facts.ts";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang, plainTexts } from "./in-page.mjs";
import { signIn } from "./signed-in.ts";

type Kind = NonNullable<Notification["kind"]>;

describe("list and settings of notifications", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let ada: Person;
  let page: Page;
  const complaints: string[] = [];

  beforeEach(async () => {
    ada = await given.user();
    await signIn(browser.context, world.baseUrl, ada);
    page = await browser.context.newPage();
    await page.setViewportSize({ width: 1_280, height: 800 });
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  const open = (path = "/notifications") => page.goto(world.baseUrl + path);
  const entries = () => page.locator(".page .entries > li");
  const textsOf = () => page.locator(".page .entries .words > :first-child").allTextContents();
  const follow = (who: Person, whom: Person) => who.api.ok("followUser", { params: { user_id: whom.id } });
  const listOf = async () => (await ada.api.ok("listNotifications", { query: { per_page: 100 } })).items;
  const listed = (count: number) => eventually(async () => expect(await listOf()).length(count));
  /** What happened to ada, one second after the other. */
  const happen = (...facts: Pick<NotificationFact, "kind" | "data">[]) =>
    notificationFactsIn(world.core.mongo.db).insert(
      facts.map(
        (fact, n) =>
          ({
            ref: newId(),
            userId: ada.id,
            at: new Date(world.clock.now() - (facts.length - n) * 1_000),
            ...fact,
          }) as NotificationFact,
      ),
    );

  /** One fact of each kind but a live channel, which its followers are told of, and what the page says of it. */
  const factsOf = (bob: Person, { owner, at }: Channel) => {
    const [who, tier, subscriptionId] = [bob.username, 2, newId()];
    const clipId = newId();
    return [
      {
        fact: { kind: "mention", data: { streamId: at.stream_id, authorId: bob.id } },
        text: `${who} mentioned you in ${owner.username}'s chat.`,
        place: `/${owner.username}`,
      },
      {
        fact: { kind: "follower", data: { followerId: bob.id } },
        text: `${who} follows you.`,
        place: `/${who}`,
      },
      {
        fact: { kind: "raid", data: { raidId: newId(), sourceUserId: bob.id, viewers: 1 } },
        text: `${who} raided you with 1 viewer.`,
        place: `/${who}`,
      },
      {
        fact: { kind: "clip", data: { clipId, creatorId: bob.id } },
        text: `${who} created a clip of your stream.`,
        place: `/clips/${clipId}`,
      },
      {
        fact: { kind: "subscription", data: { subscriptionId, subscriberId: bob.id, tier } },
        text: `${who} subscribed at tier 2.`,
        place: `/${who}`,
      },
      {
        fact: { kind: "gift", data: { subscriptionId, subscriberId: bob.id, giverId: null, tier } },
        text: `Someone gifted ${who} a tier 2 subscription.`,
        place: null,
      },
      {
        fact: {
          kind: "gift_received",
          data: { subscriptionId, channelUserId: owner.id, giverId: bob.id, tier },
        },
        text: `${who} gifted you a tier 2 subscription to ${owner.username}.`,
        place: `/${owner.username}`,
      },
      {
        fact: {
          kind: "tip",
          data: { tipId: newId(), fromUserId: bob.id, amountCents: 500, currency: "EUR" },
        },
        text: `${who} sent you €5.00.`,
        place: `/${who}`,
      },
      {
        fact: { kind: "unban_request", data: { streamId: at.stream_id, status: "approved" } },
        text: `Your unban request was approved. You can chat in ${owner.username}'s chat again.`,
        place: `/${owner.username}`,
      },
    ] as const;
  };

  it("shows the list once the network is back, where it couldn't be read without", async () => {
    await open();
    await page.waitForSelector(".page h1");
    await page.waitForLoadState("networkidle");
    await page.click(".top-bar a.browse");
    await page.waitForSelector("main h1:text-is('Categories')");
    await browser.context.setOffline(true);
    await page.evaluate("history.back()");
    await page.waitForSelector(".page [role=alert] >> text=Try again");
    await browser.context.setOffline(false);
    await page.waitForSelector(".page [role=alert]", { state: "detached" });
  });

  it("links no notification to another site, whatever its address says", async () => {
    await follow(await given.user(), ada);
    await listed(1);
    await page.route("**/v1/notifications?*", async (route) => {
      const answer = await route.fetch();
      const body: { items: Notification[] } = await answer.json();
      const items = body.items.map((one) => ({ ...one, link: "https://livecore.example//evil.example/x" }));
      await route.fulfill({ response: answer, json: { ...body, items } });
    });
    await open();
    await eventually(async () => expect(await entries().count()).equal(1));
    expect(await page.locator(".page .entries a").count()).equal(0);
  });

  it("shows each kind of the interface in a text by key, which leads to its page", async () => {
    const [bob, channel] = [await given.user(), await given.channel()];
    const told = factsOf(bob, channel);
    await happen(...told.map(({ fact }) => fact));
    await listed(told.length);
    await follow(ada, channel.owner);
    await given.goLive(channel);
    await listed(told.length + 1);
    // The words of the service aren't what is shown.
    await page.route("**/v1/notifications?*", async (route) => {
      const answer = await route.fetch();
      const body: { items: Notification[] } = await answer.json();
      const items = body.items.map((one) => ({ ...one, message: "the service's words" }));
      await route.fulfill({ response: answer, json: { ...body, items } });
    });
    await open();
    await eventually(async () => expect(await entries().count()).equal(told.length + 1));
    const name = channel.owner.username;
    const expected = [
      ...told.map(({ fact: { kind }, text, place }) => ({ kind, text, place })),
      { kind: "stream_live" as const, text: `${name} is live.`, place: `/${name}` },
    ];
    expect(await textsOf()).deep.equal(expected.map(({ text }) => text).reverse());
    const places = await page
      .locator(".page .entries .said")
      .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
    expect(places).deep.equal(expected.map(({ place }) => place).reverse());
    const kinds: Kind[] = expected.map(({ kind }) => kind);
    expect(kinds.sort()).deep.equal([...kindsOfInterface()].sort());
  });

  it("adds what comes by the socket, counts it at the bell, and reads it when it is opened", async () => {
    const bob = await given.user();
    await open();
    await page.waitForSelector("text=You have no notifications.");
    await follow(bob, ada);
    await page.waitForSelector(`.page .entries >> text=${bob.username} follows you.`);
    await page.waitForSelector('[aria-label="Notifications, 1 unread"]');
    await page.click(".page .entries .said");
    await page.waitForURL(`${world.baseUrl}/${bob.username}`);
    await page.waitForSelector(".top-bar [aria-label=Notifications]");
    expect((await listOf()).map(({ is_read }) => is_read)).deep.equal([true]);
  });

  it("marks one or all as read, deletes one, and keeps the focus in the list", async () => {
    for (const fan of [await given.user(), await given.user(), await given.user()]) await follow(fan, ada);
    await listed(3);
    await open();
    const [first = "", , last = ""] = await eventually(async () => {
      const texts = await textsOf();
      expect(texts).length(3);
      return texts;
    });
    await page.click(`[aria-label="Mark as read: ${first}"]`);
    await page.waitForSelector('[aria-label="Notifications, 2 unread"]');
    expect(await page.evaluate("document.activeElement.ariaLabel")).equal(`Delete: ${first}`);
    await page.click(`[aria-label="Delete: ${last}"]`);
    await eventually(async () => expect(await textsOf()).not.include(last));
    expect(await page.evaluate("document.activeElement.closest('.entries') !== null")).equal(true);
    await page.click("text=Mark all as read");
    await page.waitForSelector(".top-bar [aria-label=Notifications]");
    await eventually(async () =>
      expect((await listOf()).map(({ is_read }) => is_read)).deep.equal([true, true]),
    );
    expect(await page.locator(".page .new").count()).equal(0);
  });

  it("follows what another device reads and deletes", async () => {
    for (const fan of [await given.user(), await given.user()]) await follow(fan, ada);
    await listed(2);
    await open();
    await eventually(async () => expect(await page.locator(".page .new").count()).equal(2));
    const [newest, oldest] = await listOf();
    await ada.api.ok("readNotification", { params: { notification_id: String(newest?.id) } });
    await eventually(async () => expect(await page.locator(".page .new").count()).equal(1));
    await ada.api.ok("deleteNotification", { params: { notification_id: String(oldest?.id) } });
    await eventually(async () => expect(await entries().count()).equal(1));
  });

  it("shows each notification once when some are deleted before the list is read on", async () => {
    const bob = await given.user();
    await happen(
      ...Array.from({ length: 40 }, (_, n) => ({
        kind: "raid" as const,
        data: { raidId: newId(), sourceUserId: bob.id, viewers: n + 2 },
      })),
    );
    await listed(40);
    await open();
    await eventually(async () => expect(await entries().count()).equal(30));
    for (let n = 0; n < 3; n++) await page.locator("[aria-label^='Delete']").first().click();
    await eventually(async () => expect(await listOf()).length(37));
    await page.click("text=Show older notifications");
    await eventually(async () => expect(await entries().count()).equal(37));
    const viewers = (await textsOf()).map((text) => Number(/with (\d+)/.exec(text)?.[1]));
    expect(viewers).deep.equal(Array.from({ length: 37 }, (_, n) => 38 - n));
  });

  it("brings back a notification whose deletion failed, and says why", async () => {
    await follow(await given.user(), ada);
    await listed(1);
    await open();
    await page.route("**/v1/notifications/*", (route) =>
      route.request().method() === "DELETE" ? route.abort() : route.continue(),
    );
    await page.click(".page [aria-label^='Delete']");
    await page.waitForSelector(".toast.problem");
    expect(await entries().count()).equal(1);
  });

  it("opens a panel below the bell on a desktop, and a page on a phone", async () => {
    const bob = await given.user();
    await follow(bob, ada);
    await listed(1);
    await open("/");
    await page.click(".top-bar [aria-label^=Notifications]");
    await page.waitForSelector(`.panel .entries >> text=${bob.username} follows you.`);
    await page.evaluate(axe.source);
    expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
    await page.click(".panel >> text=Show all");
    await page.waitForSelector(".page.notifications h1");
    await page.waitForSelector(".panel", { state: "detached" });
    await open("/");
    await page.setViewportSize({ width: 360, height: 800 });
    await page.click(".top-bar a[aria-label^=Notifications]");
    await page.waitForSelector(".page.notifications h1");
  });

  it("saves each switch of the settings at once, and takes it back when that fails", async () => {
    await open("/settings/notifications");
    await page.uncheck("[name=raids]");
    await page.check("[name=email_enabled]");
    await page.uncheck("[name=push_enabled]");
    await eventually(async () =>
      expect(await ada.api.ok("getNotificationPreferences")).include({
        raids: false,
        clips: true,
        email_enabled: true,
        push_enabled: false,
      }),
    );
    await page.route("**/v1/notifications/preferences", (route) =>
      route.request().method() === "PUT" ? route.abort() : route.continue(),
    );
    await page.uncheck("[name=clips]");
    await page.waitForSelector('[role=alert]:has-text("Your change wasn\'t saved.")');
    await page.waitForSelector("[name=clips]:checked");
  });

  it("saves quiet hours as times of the chosen zone", async () => {
    await open("/settings/notifications");
    await page.check("[name=quiet_hours]");
    await page.selectOption("[name=time_zone]", "Asia/Tokyo");
    await page.fill("[name=from]", "23:30");
    await page.locator("[name=from]").blur();
    await eventually(async () => {
      const { quiet_hours_start, quiet_hours_end, time_zone } = await ada.api.ok(
        "getNotificationPreferences",
      );
      expect(time_zone).equal("Asia/Tokyo");
      expect(quiet_hours_start).match(/T14:30:00/);
      expect(quiet_hours_end).match(/T22:00:00/);
    });
    await page.fill("[name=until]", "23:30");
    await page.locator("[name=until]").blur();
    await page.waitForSelector("[role=alert]:has-text('Choose an end')");
    await page.reload();
    expect(await page.inputValue("[name=until]")).equal("07:00");
    await page.uncheck("[name=quiet_hours]");
    await eventually(async () =>
      expect(await ada.api.ok("getNotificationPreferences")).not.have.property("quiet_hours_start"),
    );
  });

  it("passes axe in light and dark, and has room for texts a third longer on a phone", async () => {
    const [bob, channel] = [await given.user(), await given.channel()];
    const told = factsOf(bob, channel);
    await happen(...told.map(({ fact }) => fact));
    await listed(told.length);
    await ada.api.ok("setNotificationPreferences", {
      body: { quiet_hours_start: "2026-01-15T22:00:00Z", quiet_hours_end: "2026-01-15T07:00:00Z" },
    });
    const shown = ".entries > li, [name=time_zone]";
    for (const path of ["/notifications", "/settings/notifications"]) {
      for (const [colorScheme, width] of [
        ["light", 1_280],
        ["dark", 360],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await open(path);
        await page.waitForSelector(shown);
        await page.evaluate(axe.source);
        const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
        expect(faults, `${path} ${colorScheme}`).deep.equal([]);
      }
      await open(`${path}?lang=pseudo`);
      await page.waitForSelector(shown);
      expect(await page.evaluate(overhang), path).deep.equal([]);
    }
    await open("/notifications?lang=pseudo");
    await page.waitForSelector(shown);
    expect(await page.evaluate(plainTexts)).deep.equal([]);
  });
});

function kindsOfInterface(): string[] {
  const schema = readOpenApi().components?.schemas?.NotificationKind;
  if (!schema || !("enum" in schema) || !Array.isArray(schema.enum)) throw new Error("no kinds");
  return schema.enum.map(String);
}
