import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { openStores } from "../../support/stores.ts";
import { type OpenedApp, openApp } from "./open-app.ts";

const stream = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";

function routes({ bind }: Parameters<Parameters<typeof openApp>[0]>[0]): void {
  bind("login", () => {
    throw new ServiceError("invalid_credentials");
  });
  bind("heartbeat", () => ({ viewer_count: 1 }));
  bind("getViewerCount", () => ({ viewer_count: 1 }));
  bind("getOpenApi", () => ({}));
  bind("getAsyncApi", () => ({}));
  bind("getHealth", () => ({ status: "ok" }));
  bind("getStream", () => {
    throw new ServiceError("rate_limited", { bucket: "passwords", retry_after_ms: 1_500 });
  });
  bind("banUser", () => ({ success: true }));
  bind("ingestPublish", () => ({ accepted: true }));
  bind("ingestUpdate", () => ({ accepted: true }));
}

const login = (app: OpenedApp, headers: Record<string, string> = {}) =>
  fetch(`${app.baseUrl}/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ login: "somebody", password: "wrong" }),
  });

/** Calls one after the other and gives the statuses. */
async function repeat(times: number, call: (index: number) => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < times; index++) statuses.push((await call(index)).status);
  return statuses;
}

/** Limits of a minute that others have filled, or that others would meet. */
async function forgetLimits(): Promise<void> {
  const { redis, close } = await openStores();
  await redis.flushdb();
  await close();
}

after(forgetLimits);

describe("rate limits", () => {
  let app: OpenedApp;

  before(async () => {
    await forgetLimits();
    app = await openApp(routes, { factor: 1 });
  });

  after(() => app.close());

  it("let ten sign-ins a minute through from one address, whatever X-Forwarded-For says", async () => {
    const statuses = await repeat(11, () => login(app, { "x-forwarded-for": `203.0.113.${randomInt(255)}` }));

    expect(statuses).deep.equal([...Array(10).fill(401), 429]);
  });

  it("say which one it was and when to come back", async () => {
    const answer = await login(app);
    const body = Object(await answer.json());

    expect(body.code).equal("rate_limited");
    expect(body.details).include({ bucket: "auth", limit: 10, window_seconds: 60 });
    expect(Number(answer.headers.get("retry-after"))).within(1, 60);
    shows("limits.by_address");
  });

  it("count each user's heartbeats per stream", async () => {
    const headers = { authorization: `Bearer ${app.newToken()}`, "content-type": "application/json" };
    let devices = 0;
    const beat = (streamId: string) =>
      fetch(`${app.baseUrl}/v1/viewers/heartbeat`, {
        method: "POST",
        headers,
        body: JSON.stringify({ stream_id: streamId, device_id: `device-${devices++}` }),
      });

    expect(await repeat(7, () => beat(stream))).deep.equal([...Array(6).fill(200), 429]);
    const refused = await beat(stream);
    expect(Number(refused.headers.get("retry-after"))).within(1, 60);
    expect((await beat("6ba7b811-9dad-41d1-80b4-00c04fd430c8")).status).equal(200);
  });

  it("show in headers what is left", async () => {
    const { headers } = await fetch(`${app.baseUrl}/v1/streams/${stream}/viewers`, {
      headers: { authorization: `Bearer ${app.newToken()}` },
    });

    expect(headers.get("ratelimit-limit")).equal("600");
    expect(headers.get("ratelimit-remaining")).equal("599");
    expect(Number(headers.get("ratelimit-reset"))).within(1, 60);
    expect(headers.get("ratelimit-policy")).equal('600;w=60;name="default"');
  });

  it("leave health alone", async () => {
    const { headers } = await fetch(`${app.baseUrl}/healthz`);

    expect(headers.get("ratelimit-limit")).equal(null);
  });

  it("count guessed tokens against the address", async () => {
    const before = await fetch(`${app.baseUrl}/v1/streams/${stream}/viewers`);
    await repeat(3, () =>
      fetch(`${app.baseUrl}/v1/streams/${stream}/viewers`, { headers: { authorization: "Bearer guess" } }),
    );
    const after = await fetch(`${app.baseUrl}/v1/streams/${stream}/viewers`);

    const left = (answer: Response) => Number(answer.headers.get("ratelimit-remaining"));
    expect(left(before) - left(after)).equal(4);
  });
});

describe("every answer's rate limit headers", () => {
  let app: OpenedApp;
  let other: OpenedApp;
  const policyOf = (answer: Response) => answer.headers.get("ratelimit-policy");

  before(async () => {
    await forgetLimits();
    [app, other] = await Promise.all([openApp(routes, { factor: 1 }), openApp(routes, { factor: 1 })]);
  });

  after(() => Promise.all([app.close(), other.close()]));

  const bearer = (at: OpenedApp) => ({ authorization: `Bearer ${at.newToken()}` });
  const ban = (headers: Record<string, string>, body: string) => ({
    method: "PUT",
    headers: { ...bearer(app), "content-type": "application/json", ...headers },
    body,
  });
  const bans = `/v1/chat/${stream}/bans/${stream}`;
  for (const [status, what, path, init] of [
    [404, "a path that there isn't", "/v1/nothing", {}],
    [405, "another method", "/v1/auth/login", { method: "PUT" }],
    [204, "OPTIONS", "/v1/auth/login", { method: "OPTIONS" }],
    [401, "a wrong token", `/v1/streams/${stream}/viewers`, { headers: { authorization: "Bearer guess" } }],
    [401, "a wrong system key", "/v1/webhooks/ingest/publish", { method: "POST" }],
    [400, "an address that can't be decoded", "/v1/users/%ff", {}],
  ] as const) {
    it(`are there at ${status} for ${what}, by address`, async () => {
      const answer = await fetch(app.baseUrl + path, init);

      expect([answer.status, policyOf(answer)]).deep.equal([status, '300;w=60;name="default"']);
      expect(Number(answer.headers.get("ratelimit-remaining"))).within(1, 299);
    });
  }

  it("are there for what is large and read by anybody, with a bucket of its own", async () => {
    const pages = ["/docs/", "/docs/assets/package.json", "/v1/openapi.json", "/v1/asyncapi.json"];
    const answers = await Promise.all(pages.map((path) => fetch(app.baseUrl + path)));
    const statuses = await repeat(60, () => fetch(`${app.baseUrl}/docs/start.js`));

    expect(answers.map((answer) => [answer.status, policyOf(answer)])).deep.equal(
      [200, 404, 200, 200].map((status) => [status, '60;w=60;name="docs"']),
    );
    expect(statuses).deep.equal([...Array(56).fill(200), ...Array(4).fill(429)]);
  });

  for (const [status, what, init] of [
    [400, "a body of another form", () => ban({}, "{")],
    [413, "a large body", () => ban({}, JSON.stringify({ reason: "x".repeat(65 * 1024) }))],
    [415, "another media type", () => ban({ "content-type": "text/plain" }, "{}")],
  ] as const) {
    it(`are there at ${status} for ${what}, by user`, async () => {
      const answer = await fetch(app.baseUrl + bans, init());

      expect([answer.status, policyOf(answer)]).deep.equal([status, '600;w=60;name="default"']);
    });
  }

  it("show the bucket with the least left", async () => {
    const headers = { ...bearer(app), "content-type": "application/json" };
    const beat = await fetch(`${app.baseUrl}/v1/viewers/heartbeat`, {
      method: "POST",
      headers,
      body: JSON.stringify({ stream_id: stream }),
    });

    expect(policyOf(beat)).equal('6;w=60;name="heartbeat"');
    expect(beat.headers.get("ratelimit-remaining")).equal("5");
  });

  it("show the bucket that refused, also one of a handler that has no window", async () => {
    await repeat(10, () => login(app));
    const refused = await login(app);
    const busy = await fetch(`${app.baseUrl}/v1/streams/${stream}`, { headers: bearer(app) });

    expect([refused.status, policyOf(refused)]).deep.equal([429, '10;w=60;name="auth"']);
    expect(refused.headers.get("ratelimit-limit")).equal("10");
    expect(refused.headers.get("ratelimit-remaining")).equal("0");
    expect(refused.headers.get("ratelimit-reset")).equal(refused.headers.get("retry-after"));
    expect([busy.status, policyOf(busy), busy.headers.get("ratelimit-limit")]).deep.equal([429, null, null]);
    expect(busy.headers.get("ratelimit-remaining")).equal("0");
    expect(busy.headers.get("ratelimit-reset")).equal("2");
  });

  it("count what nobody serves, over all workers, until it is refused as well", async () => {
    const nowhere = (at: OpenedApp) => fetch(`${at.baseUrl}/v1/nothing`);
    const left = (answer: Response) => Number(answer.headers.get("ratelimit-remaining"));
    const first = left(await nowhere(app));
    expect(left(await nowhere(other))).equal(first - 1);

    const statuses = await repeat(first, (index) => nowhere(index % 2 === 0 ? app : other));
    const refused = await nowhere(other);

    expect(statuses.slice(0, first - 1).every((status) => status === 404)).equal(true);
    expect(refused.status).equal(429);
    expect(Object(await refused.json()).details).include({ bucket: "default", limit: 300 });
    expect(policyOf(refused)).equal('300;w=60;name="default"');
  });
});

describe("an operation without a rate limit", () => {
  let app: OpenedApp;

  before(async () => {
    await forgetLimits();
    app = await openApp(routes, { factor: 1 });
  });

  after(() => app.close());

  it("counts guessed system keys against the address, in the audit log too", async () => {
    const guess = () =>
      fetch(`${app.baseUrl}/v1/webhooks/ingest/update?system_key=guess`, { method: "POST" });

    const statuses = await repeat(302, guess);

    const audited = app.lines.filter(({ fields }) => Object(fields).event === "system_key.refused");
    expect(statuses).deep.equal([...Array(300).fill(401), 429, 429]);
    expect(audited.length).equal(300);
  });
});

describe("rate limits by address", () => {
  it("are multiplied by the factor", async () => {
    const app = await openApp(routes, { factor: 1_000 });
    try {
      const { headers } = await fetch(`${app.baseUrl}/v1/streams/${stream}/viewers`);
      expect(headers.get("ratelimit-limit")).equal("300000");
    } finally {
      await app.close();
    }
  });
});

describe("rate limits without Redis", () => {
  it("go on per process, with a fraction of the whole", async () => {
    // A port that nobody listens on: taken, then given back.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    const port = typeof address === "object" && address ? address.port : 1;
    const redis = connectRedis({
      url: `redis://127.0.0.1:${port}`,
      deadlineMs: 200,
      onError: () => undefined,
    });
    const app = await openApp(routes, { factor: 1, redis });
    try {
      const started = performance.now();
      const statuses = await repeat(4, () => login(app));

      expect(statuses).deep.equal([401, 401, 401, 429]);
      expect(performance.now() - started).below(2_000);
    } finally {
      redis.disconnect();
      await app.close();
    }
  });
});
