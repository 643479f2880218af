import { createHash } from "node:crypto";
import { request } from "node:http";
import { expect } from "chai";
import { isReservedName } from "../../../../actors/accounts/profile/reserved-names.ts";
import type { EveningControl, EveningState } from "../../../../api/discovery/site/development.ts";
import { newId } from "../../../../base/ids.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { givenBilling } from "../../../support/billing.ts";
import { movableClock } from "../../../support/clock.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

const FORMS = ["text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"];
const HOSTILE = `"><script>alert(1)</script>`;

/** When the service made a page. */
const withoutTime = (page: string): string => page.replace(/"at":\d+/, "");

describe("pages of the site", () => {
  const { world, given } = setUpWorld({ clock: movableClock(), stores: openOwnStores });

  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${world.baseUrl}${path}`, { headers, redirect: "manual" });
  /** Answers are cached for seconds. */
  async function shown(path: string): Promise<string> {
    world.clock.move(11_000);
    return (await open(path)).text();
  }
  /** What a page brings of the interface, by operation. */
  const answersIn = (text: string): Record<string, unknown> => {
    const data = JSON.parse(/id="page-data">(.*)<\/script>/.exec(text)?.[1] ?? "{}");
    return Object.fromEntries(
      data.answers.map(({ operation, answer }: Record<string, unknown>) => [operation, answer]),
    );
  };

  it("run one inline script by its digest, and what that one loads", async () => {
    const answer = await open("/", { accept: "text/html" });
    const text = await answer.text();

    expect([answer.status, answer.headers.get("content-type")]).deep.equal([200, "text/html; charset=utf-8"]);
    const policy = answer.headers.get("content-security-policy") ?? "";
    const inline = /<script>(.*)<\/script>/.exec(text)?.[1] ?? "";
    const digest = createHash("sha256").update(inline).digest("base64");
    expect(policy)
      .match(/^default-src 'none'; script-src /)
      .include(`'sha256-${digest}'`);
    expect(policy)
      .include("'strict-dynamic'")
      .include("require-trusted-types-for 'script'")
      .include("frame-ancestors 'none'");
    expect(policy).not.match(/unsafe|script-src[^;]*(?:'self'|https?:)/);
    expect(answer.headers.get("set-cookie")).equal(null);
    for (const [, file = "", integrity = ""] of text.matchAll(
      /rel="modulepreload" href="([^"]+)" integrity="([^"]+)"/g,
    )) {
      const script = await open(file);
      const bytes = Buffer.from(await script.arrayBuffer());
      expect(integrity).equal(`sha384-${createHash("sha384").update(bytes).digest("base64")}`);
      expect(policy).include(`'${integrity}'`);
      expect(script.headers.get("cache-control")).include("immutable");
    }
  });

  it("carry the answers that their scripts would ask for, as anonymous callers get them", async () => {
    const channel = await given.liveChannel();
    const { username } = channel.owner;
    const params = { username };
    const text = await shown(`/${username}`);

    expect(answersIn(text)).deep.equal({ getChannel: await world.api.ok("getChannel", { params }) });
    expect(answersIn(await shown("/")).getHome).deep.equal(await world.api.ok("getHome"));
    expect(answersIn(await shown("/categories"))).have.nested.property("listCategories.items");
  });

  it("are the same for everybody", async () => {
    const { owner } = await given.channel();
    const { token } = await given.user();
    const asStranger = await (await open(`/${owner.username}`)).text();
    const asUser = await open(`/${owner.username}`, {
      authorization: `Bearer ${token}`,
      cookie: `lc_access_token=${token}`,
    });
    expect(withoutTime(await asUser.text())).equal(withoutTime(asStranger));
  });

  it("have no text of people that is markup", async () => {
    const channel = await given.channel();
    await channel.owner.api.ok("updateMyStream", { body: { name: HOSTILE } });
    await channel.owner.api.ok("updateMe", { body: { bio: HOSTILE } });
    await given.goLive(channel);

    for (const path of ["/", `/${channel.owner.username}`]) {
      const text = await shown(path);
      expect(text, path).not.include("alert(1)</script>").not.include('"><script>');
      expect(JSON.stringify(answersIn(text)), path).include("<script>alert(1)");
    }
  });

  it("show live channels without those for adults, and none of banned accounts", async () => {
    const [channel, adult] = [await given.channel(), await given.channel()];
    await adult.owner.api.ok("updateMyStream", { body: { is_mature: true } });
    await given.goLive(channel);
    await given.goLive(adult);

    const text = await shown("/");
    expect(text).include(`"${channel.owner.username}"`).not.include(adult.owner.username);

    const users = usersCollection.in(world.core.mongo.db);
    await users.updateOne({ _id: channel.owner.id }, { $set: { status: "banned" } });
    world.clock.move(11_000);
    expect(await shown("/")).not.include(channel.owner.username);
  });

  it("tell search engines what is public, and keep them from the rest", async () => {
    const { owner } = await given.channel();
    for (const path of ["/", "/categories", `/${owner.username}`])
      expect(await shown(path), path)
        .include('<link rel="canonical" href="https://livecore.example')
        .include('<meta name="description"')
        .not.include("noindex");
    for (const path of ["/sign-in", "/sign-up", "/following", "/search"])
      expect(await shown(path), path).include('<meta name="robots" content="noindex">');
  });

  it("have previews for links to the home page and to categories", async () => {
    for (const [path, title] of [
      ["/", "livecore"],
      ["/categories", "Categories"],
      ["/categories/just-chatting", "Just Chatting"],
    ])
      expect(await shown(path ?? ""), path)
        .include(`<meta property="og:title" content="${title}">`)
        .include(`<meta property="og:url" content="https://livecore.example${path}">`)
        .include('<meta property="og:site_name" content="livecore">')
        .match(/<meta property="og:description" content="[^"]+">/);
  });

  it("tell search engines of videos and clips what is played, without markup of people", async () => {
    const channel = await given.liveChannel();
    const { username } = channel.owner;
    await channel.owner.api.ok("updateMyStream", { body: { name: HOSTILE } });
    world.clock.move(120_000);
    const { id: clip_id } = await channel.owner.api.ok("createClip", {
      body: { stream_id: channel.stream.id, title: HOSTILE, start_time: 1, end_time: 13 },
    });
    const made = { video_path: "a.mp4", thumbnail_path: "a.jpg" };
    const media = givenBilling(world);
    await media.send({ type: "clip.ready", data: { clip_id, ...made } }, {}, "mediaHook");
    const recorded = { ...channel.at, ...made, media_recording_id: newId(), duration_seconds: 118 };
    await media.send({ type: "recording.ready", data: recorded }, {}, "mediaHook");
    const [video] = (await channel.owner.api.ok("listVideos", { params: { username } })).items;

    for (const [path, duration] of [
      [`/clips/${clip_id}`, "PT12S"],
      [`/videos/${video?.id}`, "PT118S"],
    ]) {
      const text = await shown(path ?? "");
      expect(text, path).include(`<meta property="og:url" content="https://livecore.example${path}">`);
      const [, json = "{}"] = /<script type="application\/ld\+json">(.*)<\/script>/.exec(text) ?? [];
      const said = JSON.parse(json);
      expect(said, path).include({ "@type": "VideoObject", name: HOSTILE, duration });
      expect(Date.parse(said.uploadDate), path).within(world.clock.now() - 300_000, world.clock.now());
      expect(URL.canParse(said.thumbnailUrl), path).equal(true);
    }
  });

  it("offer nothing of development in production", async () => {
    const text = await shown("/");
    expect(text).not.match(/npm run|development|\/mail/);
    const pressed = await fetch(`${world.baseUrl}/demo`, {
      method: "POST",
      headers: { origin: world.baseUrl },
    });
    expect(pressed.status).equal(404);
  });

  it("have an icon as SVG and as ICO", async () => {
    for (const [path, type] of [
      ["/favicon.svg", "image/svg+xml"],
      ["/favicon.ico", "image/x-icon"],
    ] as const) {
      const icon = await open(path);
      expect([icon.status, icon.headers.get("content-type")]).deep.equal([200, type]);
      expect((await icon.arrayBuffer()).byteLength).within(100, 4_096);
    }
  });

  it("are missing where a category, video or clip isn't there, whatever the address says", async () => {
    for (const kind of ["categories", "videos", "clips"])
      for (const id of ["nothing-like-this", "x".repeat(200), "01890000-0000-7000-8000-00000000ffff", "%00"])
        expect((await open(`/${kind}/${id}`, { accept: "text/html" })).status, `${kind}/${id}`).equal(404);
  });

  describe("missing pages", () => {
    for (const accept of FORMS) {
      it(`answers a browser that accepts ${accept.slice(0, 30)} with a page and 404`, async () => {
        for (const path of [
          "/nothing/here",
          "/v1/nothing",
          "/docs/nothing",
          "/nobody_is_here",
          "/%F0%9F%98%80",
        ]) {
          const answer = await open(path, { accept });
          const text = await answer.text();

          expect([answer.status, answer.headers.get("content-type")], path).deep.equal([
            404,
            "text/html; charset=utf-8",
          ]);
          expect(answer.headers.get("vary"), path).include("Accept");
          expect(answer.headers.get("content-security-policy")).match(/^default-src 'none'/);
          expect(text).include("<h1>Page not found</h1>").include("noindex").not.include("<script");
        }
      });
    }

    it("answers programs with the envelope", async () => {
      for (const accept of ["*/*", "application/json", "application/json, text/plain, */*", ""]) {
        const answer = await open("/nothing/here", { accept });
        expect([answer.status, Object(await answer.json()).code], accept).deep.equal([404, "not_found"]);
      }
      const posted = await fetch(`${world.baseUrl}/nothing`, {
        method: "POST",
        headers: { accept: "text/html" },
      });
      expect([posted.status, Object(await posted.json()).code]).deep.equal([404, "not_found"]);
    });

    it("answers a browser's request of an operation with the envelope", async () => {
      const answer = await open("/v1/users/nobody_is_here", { accept: "text/html" });
      expect([answer.status, Object(await answer.json()).code]).deep.equal([404, "not_found"]);
    });
  });
});

describe("pages of the site in development", () => {
  let state: EveningState = { status: "off" };
  const evening: EveningControl = { start: async () => state, state: () => state };
  afterEach(() => {
    state = { status: "off" };
  });
  const { world } = setUpWorld({
    development: { mailboxUrl: "http://127.0.0.1:9464/mail", evening },
    edge: { url: "https://livecore.example/edge", signingKeys: ["spec-edge-key"], hasLowLatency: false },
  });

  it("let nobody take a name that is the first part of a routed path", () => {
    const firstParts = new Set(world.paths.map((path) => path.split("/")[1] ?? ""));
    const words = [...firstParts].filter((part) => part !== "" && !part.startsWith(":"));

    expect(words).include.members(["docs", "account", "files", "embed", "v1", "healthz", "sitemaps"]);
    expect(words).include.members(["demo", "edge"]);
    expect(words.filter((word) => !isReservedName(word))).deep.equal([]);
  });

  it("link to the mails and offer the demo evening", async () => {
    const answer = await fetch(world.baseUrl);
    const text = await answer.text();

    expect(text).include('"mailbox_url":"http://127.0.0.1:9464/mail"').include('"evening":{"status":"off"}');
    expect(answer.headers.get("content-security-policy")).include("form-action 'self'");
    // With `no-referrer` a browser would send the form's Origin as null.
    expect(answer.headers.get("referrer-policy")).equal("same-origin");
    expect(answer.headers.get("cache-control")).equal("no-store");
  });

  it("start the demo evening only from a page of this machine", async () => {
    const port = new URL(world.baseUrl).port;
    const press = (host: string, origin?: string) =>
      pressed(Number(port), { host, ...(origin ? { origin } : {}) });

    for (const name of ["localhost", "127.0.0.1", "[::1]"])
      expect(await press(`${name}:${port}`, `http://${name}:${port}`), name).equal(303);
    expect(await press(`127.0.0.1:${port}`), "without an origin").equal(403);
    for (const origin of ["null", "https://evil.example", `http://localhost:${port}`, `http://127.0.0.1:1`])
      expect(await press(`127.0.0.1:${port}`, origin), origin).equal(403);
    expect(await press(`evil.example:${port}`, `http://evil.example:${port}`), "another name").equal(403);
  });

  it("lead by a page that waits to the channel of the demo evening", async () => {
    const demo = async (method: string) => {
      const headers = { origin: world.baseUrl };
      const answer = await fetch(`${world.baseUrl}/demo`, { method, headers, redirect: "manual" });
      return { answer, to: answer.headers.get("location"), text: await answer.text() };
    };
    expect((await demo("GET")).to, "before it was started").equal("/");

    state = { status: "starting" };
    expect((await demo("POST")).to).equal("/demo");
    const { answer, text } = await demo("GET");
    expect([answer.status, answer.headers.get("refresh")]).deep.equal([200, "2"]);
    expect(answer.headers.get("content-security-policy")).match(/^default-src 'none'/);
    expect(text).include("The demo evening is starting").include("noindex");
    expect(await (await fetch(world.baseUrl)).text()).include('"evening":{"status":"starting"}');

    state = { status: "live", username: "demo_person" };
    expect([(await demo("GET")).to, (await demo("POST")).to]).deep.equal(["/demo_person", "/demo_person"]);
    state = { status: "failed" };
    expect((await demo("GET")).to).equal("/");
  });
});

/** `fetch` sets Host and Origin itself. */
const pressed = (port: number, headers: Record<string, string>) =>
  new Promise<number>((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path: "/demo", method: "POST", headers });
    sent.once("response", (answer) => resolve(answer.resume().statusCode ?? 0));
    sent.once("error", reject);
    sent.end();
  });
