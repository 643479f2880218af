import { expect } from "chai";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import { type OpenedApp, openApp } from "./open-app.ts";

const SECOND = 1_000;
const PROFILE = "/v1/users/somebody";

describe("reads without credentials", () => {
  let app: OpenedApp;
  let made: string[] = [];
  let fails: ServiceError | null = null;
  let time = 0;
  before(async () => {
    app = await openApp(
      ({ bind }) => {
        bind("getPublicProfile", async ({ params }) => {
          made.push(params.username);
          if (fails) throw fails;
          return profile(params.username, made.length);
        });
        bind("listStreams", async ({ query }) => {
          made.push(JSON.stringify(query));
          return { page: 1, per_page: 24, total: made.length, has_more: false, items: [] };
        });
      },
      { now: () => time, trustedProxies: ["127.0.0.1"], factor: 0.01 },
    );
  });
  after(() => app.close());
  beforeEach(() => {
    time += SECOND;
    made = [];
    fails = null;
    address++;
  });

  let address = 0;
  /** Each spec comes from an address of its own, which may ask three times a minute; `more` ones more often. */
  const get = (path: string, headers: Record<string, string> = {}, more = 0, method = "GET") =>
    fetch(`${app.baseUrl}${path}`, {
      method,
      headers: {
        "x-forwarded-for": `2001:db8:${process.pid.toString(16)}:${address * 100 + more}::1`,
        ...headers,
      },
    });

  it("are answered once for all within a second, byte for byte", async () => {
    const first = await get(PROFILE);
    const second = await get(PROFILE);

    expect(await second.text()).equal(await first.text());
    expect(second.headers.get("content-type")).equal("application/json; charset=utf-8");
    time += SECOND;
    await get(PROFILE);
    expect(made).length(2);
  });

  it("are answered once for many at the same moment", async () => {
    await Promise.all(Array.from({ length: 30 }, (_, i) => get(PROFILE, {}, i)));

    expect(made).length(1);
  });

  it("may be kept for that second by others on the way, who must distinguish signed-in callers and origins", async () => {
    const { headers } = await get(PROFILE);

    expect(headers.get("cache-control")).equal("public, max-age=1");
    expect(headers.get("vary")).equal("Origin, Authorization, Cookie, X-API-Key");
  });

  it("are counted each for its own address, and say so", async () => {
    const answers = [await get(PROFILE), await get(PROFILE), await get(PROFILE), await get(PROFILE)];
    const other = await get(PROFILE, {}, 1);

    const remaining = answers.map(({ headers }) => headers.get("ratelimit-remaining"));
    expect(remaining).deep.equal(["2", "1", "0", "0"]);
    expect(answers.map(({ status }) => status)).deep.equal([200, 200, 200, 429]);
    expect(answers[3]?.headers.get("cache-control")).equal("no-store");
    expect(other.headers.get("ratelimit-remaining")).equal("2");
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id")))).property("size", 4);
    expect(made).length(1);
  });

  for (const [what, headers] of [
    ["a bearer token", () => ({ authorization: `Bearer ${app.newToken()}` })],
    ["a session cookie", () => ({ cookie: `lc_access_token=${app.newToken()}` })],
    ["another scheme", () => ({ authorization: "Basic abc" })],
    ["a device's cookie alone", () => ({ cookie: "theme=dark; lc_device_id=abc" })],
    ["a system key", () => ({ "x-system-key": "abc" })],
  ] as const) {
    it(`neither give their answer to a request with ${what}, nor take it from one`, async () => {
      const own = await get(PROFILE, headers());
      await get(PROFILE);
      const later = await get(PROFILE, headers());

      expect(made).length(3);
      for (const { status, headers: sent } of [own, later]) {
        expect(status).equal(200);
        expect(sent.get("cache-control")).equal("no-store");
        expect(sent.get("vary")).equal("Origin, Authorization, Cookie, X-API-Key");
      }
    });
  }

  for (const [what, headers] of [
    ["bearer token", { authorization: "Bearer nobodys" }],
    ["cookie", { cookie: "lc_access_token=nobodys" }],
    ["API key", { "x-api-key": "nobodys" }],
  ] as const) {
    it(`don't answer for a refused ${what}`, async () => {
      await get(PROFILE);
      const refused = await get(PROFILE, headers);

      expect(refused.status).equal(401);
      expect(refused.headers.get("cache-control")).equal("no-store");
    });
  }

  it("are the same for those who bring a cookie of somebody else's making", async () => {
    await get(PROFILE, { cookie: "theme=dark; lang=en" });
    await get(PROFILE);

    expect(made).length(1);
  });

  it("don't keep an error", async () => {
    for (const error of [new ServiceError("not_found"), unavailable()]) {
      fails = error;
      const refused = await get(PROFILE);
      expect(refused.status).equal(error.status);
      expect(refused.headers.get("cache-control")).equal("no-store");
    }

    fails = null;
    expect((await get(PROFILE)).status).equal(200);
    expect(made).length(3);
  });

  it("distinguish parameters by what they mean", async () => {
    const queries = ["", "?page=1", "?per_page=24&page=1", "?tag=a", "?tag=a&page=1", "?page=2"];
    for (const [i, query] of queries.entries()) await get(`/v1/streams${query}`, {}, i);

    expect(made).length(3);
  });

  it("refuse parameters that there aren't, kept answer or not", async () => {
    await get("/v1/streams");

    expect((await get("/v1/streams?junk=1")).status).equal(400);
    expect((await get("/v1/streams?page=01")).status).equal(400);
    expect(made).length(1);
  });

  it("answer HEAD alike, without a body", async () => {
    await get(PROFILE);
    const head = await get(PROFILE, {}, 0, "HEAD");

    expect(head.status).equal(200);
    expect(Number(head.headers.get("content-length"))).above(100);
    expect(await head.text()).equal("");
    expect(made).length(1);
  });
});

function profile(username: string, followers: number) {
  const id = "0192f0c1-0000-7000-8000-000000000001";
  return {
    id,
    username,
    username_title: username,
    image_url: null,
    banner_url: null,
    bio: null,
    is_verified: false,
    social_links: {},
    follower_count: followers,
    is_following: false,
    stream: {
      id,
      name: "a channel",
      thumbnail_url: null,
      is_live: false,
      realtime_viewer_count: 0,
      is_chat_enabled: true,
      is_chat_followers_only: false,
    },
  };
}
