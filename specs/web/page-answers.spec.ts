// @waits: for a browser to load pages.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { newId } from "../../base/ids.ts";
import { operationsOf, readOpenApi } from "../../contract/openapi-document.ts";
import { givenBilling } from "../support/billing.ts";
import { setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { signIn } from "./signed-in.ts";

type Answer = {
  operation: string;
  input: { path?: Record<string, string>; query?: Record<string, unknown> };
};

describe("answers that come with a page", function () {
  this.timeout(120_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  let page: Page;
  const asked: string[] = [];
  /** By what is shown. */
  const paths: Record<string, string> = { home: "/", category: "/categories/just-chatting" };

  before(async () => {
    const [live, offline] = [await given.liveChannel(), await given.channel()];
    paths["live channel"] = `/${live.owner.username}`;
    paths["offline channel"] = `/${offline.owner.username}`;
    world.clock.move(60_000);
    const clip = await live.owner.api.ok("createClip", {
      body: { stream_id: live.stream.id, title: "A clip", start_time: 1, end_time: 11 },
    });
    const media = givenBilling(world);
    await media.send(
      { type: "clip.ready", data: { clip_id: clip.id, video_path: "a.mp4" } },
      {},
      "mediaHook",
    );
    const recorded = { ...live.at, media_recording_id: newId(), duration_seconds: 60 };
    await media.send({ type: "recording.ready", data: recorded }, {}, "mediaHook");
    const params = { username: live.owner.username };
    const [video] = (await live.owner.api.ok("listVideos", { params })).items;
    Object.assign(paths, { clip: `/clips/${clip.id}`, video: `/videos/${video?.id}` });
    page = await browser.context.newPage();
    page.on("request", (request) => {
      if (request.method() === "GET") asked.push(request.url().slice(world.baseUrl.length));
    });
  });
  after(() => page?.close());

  /** The requests that an answer saves. */
  const requestOf = ({ operation, input }: Answer): string => {
    const found = operationsOf(readOpenApi()).find((one) => one.operation.operationId === operation);
    if (!found) throw new Error(`there is no operation ${operation}`);
    return found.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => input.path?.[name] ?? "");
  };

  it("are shown, and asked for again, where the browser's cache has the page for more than a minute", async () => {
    const later = await browser.context.newPage();
    const again: string[] = [];
    later.on("request", (request) => again.push(new URL(request.url()).pathname));
    const path = paths["offline channel"] ?? "";
    // A minute later, as far as the pages know.
    await later.addInitScript("{ const now = Date.now; Date.now = () => now() + 61_000; }");
    await later.goto(world.baseUrl + path);
    await later.waitForSelector(".channel-header");
    await later.waitForLoadState("networkidle");
    expect(
      again.filter((one) => one.endsWith("/channel")),
      "it came from the service",
    ).deep.equal([]);
    await later.goto(`${world.baseUrl}/about/service`);
    await later.goBack();
    await later.waitForSelector(".channel-header");
    await later.waitForLoadState("networkidle");
    expect(again.filter((one) => one === `/v1/users${path}/channel`)).length(1);
    await later.close();
  });

  for (const name of [...["home", "live channel", "offline channel"], ...["category", "video", "clip"]])
    it(`aren't asked for again, on the page of ${name}`, async () => {
      await page.goto("about:blank");
      asked.length = 0;
      await page.goto(world.baseUrl + (paths[name] ?? ""));
      await page.waitForSelector("#main :is(h1, h2)", { state: "attached" });
      if (name.endsWith("channel")) await page.waitForSelector("text=No messages yet.");
      await page.waitForLoadState("networkidle");

      const data = await page.textContent("#page-data");
      const { answers }: { answers: Answer[] } = JSON.parse(data ?? "{}");
      const known = answers.map(requestOf);
      expect(known, "it brings something").not.deep.equal([]);
      // What is hosted is part of the channel, and the room brings it besides.
      const again = asked.filter(
        (url) => known.includes(url.split("?")[0] ?? "") || url.endsWith("/hosting"),
      );
      expect(again).deep.equal([]);
    });

  it("aren't asked for again by a reader with an account, where they are the same for everybody", async () => {
    await signIn(browser.context, world.baseUrl, await given.user());
    for (const name of ["live channel", "category"]) {
      await page.goto("about:blank");
      asked.length = 0;
      await page.goto(world.baseUrl + (paths[name] ?? ""));
      await page.waitForSelector("#main :is(h1, h2)", { state: "attached" });
      await page.waitForSelector(".top-bar [aria-label=Account]");
      await page.waitForLoadState("networkidle");
      expect(asked).includes("/v1/users/me");
      const again = asked.filter((url) => /\/channel$|\/v1\/categories|\/v1\/streams\?/.test(url));
      expect(again, name).deep.equal([]);
    }
  });
});
