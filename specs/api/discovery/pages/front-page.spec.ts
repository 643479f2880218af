import { request } from "node:http";
import { expect } from "chai";
import { isReservedName } from "../../../../actors/accounts/profile/reserved-names.ts";
import type { EveningControl, EveningState } from "../../../../api/discovery/site/development.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { movableClock } from "../../../support/clock.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

const FORMS = ["text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"];
const HOSTILE = `"><script>alert(1)</script>`;

describe("front page", () => {
  const { world, given } = setUpWorld({ clock: movableClock(), stores: openOwnStores });

  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${world.baseUrl}${path}`, { headers, redirect: "manual" });
  /** Answers are cached for two seconds. */
  async function shown(): Promise<string> {
    world.clock.move(3_000);
    return (await open("/")).text();
  }

  it("answers with static HTML that runs no script and loads pictures alone", async () => {
    const answer = await open("/", { accept: "text/html" });
    const text = await answer.text();

    expect([answer.status, answer.headers.get("content-type")]).deep.equal([200, "text/html; charset=utf-8"]);
    expect(answer.headers.get("content-security-policy")).match(
      /^default-src 'none'; img-src http: https:; style-src 'sha256-[^']+'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(text).not.include("<script");
    expect(text)
      .include('<meta name="description"')
      .include('<link rel="canonical" href="https://livecore.example/">');
    expect(text).include("Nobody is live right now.");
    expect(answer.headers.get("set-cookie")).equal(null);
  });

  it("links to pages and documents that are there", async () => {
    const links = [...(await shown()).matchAll(/href="(\/[^"]*)"/g)].map(([, path = ""]) => path);

    expect(links).include.members([
      "/docs",
      "/docs/sockets",
      "/docs/guides",
      "/v1/asyncapi.json",
      "/favicon.svg",
    ]);
    for (const path of new Set(links)) expect((await open(path)).status, path).equal(200);
  });

  it("shows live channels with a link to their page, without those for adults", async () => {
    const [channel, adult] = [await given.channel(), await given.channel()];
    await channel.owner.api.ok("updateMyStream", { body: { name: HOSTILE } });
    await adult.owner.api.ok("updateMyStream", { body: { is_mature: true } });
    await given.goLive(channel);
    await given.goLive(adult);

    const text = await shown();

    expect(text).include(`<a href="/${channel.owner.username}">`).not.include(adult.owner.username);
    // In its own direction, whatever stands beside it.
    expect(text).include('<span dir="auto">&quot;&gt;&lt;script&gt;');
    expect(text)
      .include("&lt;script&gt;")
      .not.match(/<script|Nobody is live/);
  });

  it("doesn't show channels of banned accounts", async () => {
    const { owner } = await given.liveChannel();
    expect(await shown()).include(`/${owner.username}"`);
    const users = usersCollection.in(world.core.mongo.db);
    await users.updateOne({ _id: owner.id }, { $set: { status: "banned" } });
    world.clock.move(11_000);

    expect(await shown()).not.include(owner.username);
  });

  it("offers nothing of development in production", async () => {
    const text = await shown();
    expect(text).not.match(/npm run|<form|\/mail/);
    const pressed = await fetch(`${world.baseUrl}/demo`, {
      method: "POST",
      headers: { origin: world.baseUrl },
    });
    expect(pressed.status).equal(404);
  });

  it("has an icon as SVG and as ICO", async () => {
    for (const [path, type] of [
      ["/favicon.svg", "image/svg+xml"],
      ["/favicon.ico", "image/x-icon"],
    ] as const) {
      const icon = await open(path);
      expect([icon.status, icon.headers.get("content-type")]).deep.equal([200, type]);
      expect((await icon.arrayBuffer()).byteLength).within(100, 4_096);
    }
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
          expect(text).include("<h1>There is no such page</h1>").include("noindex").not.include("<script");
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

describe("front page in development", () => {
  let state: EveningState = { status: "off" };
  const evening: EveningControl = { start: async () => state, state: () => state };
  afterEach(() => {
    state = { status: "off" };
  });
  const { world } = setUpWorld({
    development: { mailboxUrl: "http://127.0.0.1:9464/mail", evening },
    edge: { url: "https://livecore.example/edge", signingKeys: ["spec-edge-key"], hasLowLatency: false },
  });

  it("lets nobody take a name that is the first part of a routed path", () => {
    const firstParts = new Set(world.paths.map((path) => path.split("/")[1] ?? ""));
    const words = [...firstParts].filter((part) => part !== "" && !part.startsWith(":"));

    expect(words).include.members(["docs", "account", "files", "embed", "v1", "healthz", "sitemaps"]);
    expect(words).include.members(["demo", "edge"]);
    expect(words.filter((word) => !isReservedName(word))).deep.equal([]);
  });

  it("links to the mails and offers the demo evening", async () => {
    const answer = await fetch(world.baseUrl);
    const text = await answer.text();

    expect(text).include('href="http://127.0.0.1:9464/mail"').include("npm run demo");
    expect(text).include('<form method="post" action="/demo">');
    expect(answer.headers.get("content-security-policy")).include("form-action 'self'");
    // With `no-referrer` a browser would send the form's Origin as null.
    expect(answer.headers.get("referrer-policy")).equal("same-origin");
    expect(answer.headers.get("cache-control")).equal("no-store");
  });

  it("starts the demo evening only from a page of this machine", async () => {
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

  it("leads by a page that waits to the channel of the demo evening", async () => {
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
    expect(await (await fetch(world.baseUrl)).text()).include('href="/demo"');

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
