import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { expect } from "chai";
import { addressKey } from "../../../api/http/limits.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { ServiceError } from "../../contract/errors.ts";
import { openStores } from "../../support/stores.ts";
import { type OpenedApp, openApp } from "./open-app.ts";

const stream = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";

function routes({ bind }: Parameters<Parameters<typeof openApp>[0]>[0]): void {
  bind("login", () => {
    throw new ServiceError("invalid_credentials");
  });
  bind("heartbeat", () => ({ viewer_count: 1 }));
  bind("getViewerCount", () => ({ viewer_count: 1 }));
  bind("getHealth", () => ({ status: "ok" }));
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

describe("rate limits", () => {
  let app: OpenedApp;

  before(async () => {
    const { redis, close } = await openStores();
    await redis.flushdb();
    await close();
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
  });

  it("count each user's heartbeats per stream", async () => {
    const headers = { authorization: `Bearer ${app.newToken()}`, "content-type": "application/json" };
    const beat = (streamId: string) =>
      fetch(`${app.baseUrl}/v1/viewers/heartbeat`, {
        method: "POST",
        headers,
        body: JSON.stringify({ stream_id: streamId }),
      });

    expect(await repeat(7, () => beat(stream))).deep.equal([...Array(6).fill(200), 429]);
    expect((await beat("6ba7b811-9dad-41d1-80b4-00c04fd430c8")).status).equal(200);
  });

  it("tell in headers what is left", async () => {
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

  it("take a home's IPv6 network as one", () => {
    expect(addressKey("2001:db8:0:1::1")).equal(addressKey("2001:0db8:0000:0001:ffff::2"));
    expect(addressKey("2001:db8:0:1::1")).not.equal(addressKey("2001:db8:0:2::1"));
    expect(addressKey("::ffff:203.0.113.9")).equal(addressKey("203.0.113.9"));
    expect(addressKey("::1")).equal("0:0:0:0::/64");
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
