// @waits: for the deadlines of the client.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { createClient } from "../../clients/typescript/src/index.ts";

type Refusal = { status: number; retryAfter?: string };

describe("The client's retries", () => {
  let server: Server | null = null;
  let requests: { method: string; key: string | undefined }[] = [];
  afterEach(() => new Promise((closed) => (server ? server.close(closed) : closed(undefined))));

  /** A service that refuses with these, one after the other, and then answers. */
  async function clientOf(refusals: Refusal[], retry = {}) {
    requests = [];
    server = createServer((req, res) => {
      requests.push({ method: req.method ?? "", key: req.headers["idempotency-key"]?.toString() });
      const refusal = refusals[requests.length - 1];
      const code = refusal?.status === 429 ? "rate_limited" : "unavailable";
      res.writeHead(refusal?.status ?? 200, {
        "content-type": "application/json",
        ...(refusal?.retryAfter === undefined ? {} : { "retry-after": refusal.retryAfter }),
      });
      res.end(JSON.stringify(refusal ? { code, message: "Not now." } : { status: "ok" }));
    });
    await new Promise<void>((listening) => server?.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    return createClient({ baseUrl: `http://127.0.0.1:${port}/`, retry });
  }
  const refused = (status: number, retryAfter = "0"): Refusal => ({ status, retryAfter });
  const body = { outcome_id: "a", amount: 1 };
  const path = { prediction_id: "p" };

  it("waits for as long as Retry-After says, and asks again", async () => {
    const client = await clientOf([refused(429, "1"), refused(503)]);
    const from = performance.now();

    expect(await client.call("getHealth")).deep.equal({ status: "ok" });

    expect(performance.now() - from).within(1_000, 4_000);
    expect(requests).length(3);
  });

  it("has an end: after some tries, and where it should wait too long", async () => {
    const tired = await clientOf(Array(9).fill(refused(503)), { tries: 3 });
    expect(await tired.attempt("getHealth")).include({ ok: false, status: 503 });
    expect(requests).length(3);
    server?.close();

    const hasty = await clientOf([refused(429, "3600")]);
    expect(await hasty.attempt("getHealth")).include({ ok: false, status: 429 });
    expect(requests).length(1);
    server?.close();

    const none = await clientOf([refused(429)]);
    expect(await none.attempt("getHealth", { retry: false })).include({ ok: false, status: 429 });
    expect(requests).length(1);
  });

  it("repeats after a 503 only what may happen twice, with its key", async () => {
    const bet = await clientOf([refused(503)]);
    await bet.call("placeBet", { path, body });
    expect(requests.map(({ key }) => key))
      .deep.equal([requests[0]?.key, requests[0]?.key])
      .not.include(undefined);
    server?.close();

    const withoutNonce = await clientOf([refused(503)]);
    const room = { stream_id: "s" };
    expect(await withoutNonce.attempt("sendChatMessage", { path: room, body: { content: "a" } })).include({
      status: 503,
    });
    expect(requests).length(1);
    server?.close();

    const again = await clientOf([refused(503)]);
    await again.call("sendChatMessage", { path: room, body: { content: "a", nonce: "n" } });
    expect(requests).length(2);
    server?.close();

    const limited = await clientOf([refused(429)]);
    await limited.call("sendChatMessage", { path: room, body: { content: "a" } });
    expect(requests, "a 429 did nothing").length(2);
  });

  it("ends with the signal of its caller", async () => {
    const client = await clientOf([refused(429, "8")]);
    const stop = new AbortController();
    const call = client.call("getHealth", { signal: stop.signal }).catch((err: unknown) => err);
    setImmediate(() => stop.abort(new Error("enough")));

    expect(String(await call)).include("enough");
  });

  it("takes the page of a proxy in between for what its status says", async () => {
    server = createServer((_req, res) => void res.writeHead(502).end("<h1>Bad gateway</h1>"));
    await new Promise<void>((listening) => server?.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });

    expect(await client.attempt("getHealth")).nested.include({ status: 502, "error.code": "unavailable" });
  });
});
