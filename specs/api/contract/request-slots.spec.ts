// @waits: for requests that are refused after a second
import { expect } from "chai";
import { download } from "../../../api/http/reply.ts";
import { createRequestSlots } from "../../../api/http/request-slots.ts";
import { unavailable } from "../../../contract/errors.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { headOf, RawConnection } from "../../support/raw-http.ts";
import { type OpenedApp, openApp, SYSTEM_KEY } from "./open-app.ts";

const ID = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";

describe("request slots", () => {
  const refused: string[] = [];
  const slots = createRequestSlots({
    slots: 2,
    log: quietLog(),
    onRefused: (kind) => void refused.push(kind),
  });
  let app: OpenedApp;
  /** What runs, by operation, in order; each call ends it. */
  const running: { id: string; end: () => void }[] = [];
  const arrivals: number[] = [];
  let isDownloading = false;
  async function* endless() {
    for (;;) {
      yield "x".repeat(65_536);
      isDownloading = true;
    }
  }
  const held = (id: string) =>
    new Promise<never>((_resolve, reject) => {
      running.push({ id, end: () => reject(unavailable({ message: `${id} ended` })) });
    });

  before(async () => {
    app = await openApp(
      ({ bind }) => {
        bind("getHealth", () => ({ status: "ok" }));
        bind("getMe", ({ requestId }) => held(requestId));
        bind("placeBet", () => held("placeBet"));
        bind("setSeoTags", () => held("setSeoTags"));
        bind("createWsTicket", () => held("createWsTicket"));
        bind("sendChatMessage", ({ arrivedAt }) => {
          arrivals.push(arrivedAt);
          return held("sendChatMessage");
        });
        bind("exportMe", () => download(endless(), {}));
        bind("listReports", () => held("listReports"));
        bind("ingestPublish", () => held("ingestPublish"));
        bind("listStreams", async () => ({ page: 1, per_page: 24, total: 0, has_more: false, items: [] }));
      },
      { slots, now: () => 0 },
    );
  });
  after(() => app.close());
  afterEach(async () => {
    await eventually(
      () => {
        for (const { end } of running.splice(0)) end();
        return countOf("taken") === 0 && countOf("waiting") === 0;
      },
      { what: "all slots are free" },
    );
    refused.length = 0;
  });

  const countOf = (what: "taken" | "waiting") =>
    slots.readings()[what].reduce((sum, { value }) => sum + value, 0);
  const call = (path: string, init: RequestInit = {}) => fetch(app.baseUrl + path, init);
  const signedIn = () => ({ authorization: `Bearer ${app.newToken()}` });
  const named = (name: string, init: RequestInit = {}) =>
    call("/v1/users/me", { ...init, headers: { ...signedIn(), "x-request-id": name } });
  const post = (path: string, headers: Record<string, string>, body?: object) =>
    call(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const runs = (...ids: string[]) =>
    eventually(() => expect(running.map(({ id }) => id)).deep.equal(ids), { what: `${ids} run` });

  /** Takes both slots for requests to the database. */
  async function full() {
    const answers = [named("first-request"), named("second-request")];
    await eventually(() => running.length === 2, { what: "both slots are taken" });
    return answers;
  }

  it("refuse what has waited for a second with 503, Retry-After and retry_after_ms, uncounted", async () => {
    await full();

    const answer = await named("third-request");

    const { code, details } = Object(await answer.json());
    expect([answer.status, code]).deep.equal([503, "unavailable"]);
    expect(details.retry_after_ms).within(1_000, 3_000);
    expect(Number(answer.headers.get("retry-after"))).equal(Math.ceil(details.retry_after_ms / 1_000));
    expect(answer.headers.get("ratelimit-remaining")).equal(null);
    expect([running.length, refused]).deep.equal([2, ["database"]]);
    expect(app.lines.filter(({ level }) => level === "warn")).deep.equal([]);
  });

  it("go to waiting requests in the order of their arrival", async () => {
    await full();
    const waiting: Promise<Response>[] = [];
    for (const name of ["third-request", "fourth-request"]) {
      waiting.push(named(name));
      await eventually(() => countOf("waiting") === waiting.length);
    }

    running.shift()?.end();

    await runs("second-request", "third-request");
    expect(countOf("waiting")).equal(1);
  });

  it("answer health checks while all are taken", async () => {
    await full();

    const health = await call("/healthz");

    expect([health.status, running.length, refused]).deep.equal([200, 2, []]);
  });

  it("aren't kept for a client that has gone", async () => {
    await full();
    const client = new AbortController();
    const gone = named("third-request", { signal: client.signal }).catch(() => "gone");
    await eventually(() => countOf("waiting") === 1);

    client.abort();

    expect(await gone).equal("gone");
    await eventually(() => countOf("waiting") === 0);
    expect(refused).deep.equal([]);
  });

  it("aren't held by a body that is still arriving", async () => {
    const { authorization } = signedIn();
    const slow = Array.from({ length: 3 }, () => new RawConnection(app.port));
    for (const connection of slow) {
      const headers = [
        "Content-Type: application/json",
        "Content-Length: 20",
        "Expect: 100-continue",
        `Authorization: ${authorization}`,
      ];
      connection.write(headOf("PUT /v1/users/me/seo-tags", ...headers));
    }
    const isServed = () => slow.every((connection) => connection.text().includes("100 Continue"));
    await eventually(isServed, { what: "the bodies are waited for" });

    await full();

    for (const connection of slow) connection.close();
  });

  it("are free while a handler waits for what has a bound of its own", async () => {
    const headers = signedIn();
    const bet = { outcome_id: ID, amount: 1 };
    for (const _ of [1, 2, 3]) void post(`/v1/predictions/${ID}/bets`, headers, bet);
    await runs("placeBet", "placeBet", "placeBet");

    expect(countOf("taken")).equal(0);
  });

  it("are waited for by messages since these came, also before their body was read", async () => {
    const message = () => post(`/v1/chat/${ID}/messages`, signedIn(), { content: "hello" });
    void message();
    void message();
    await runs("sendChatMessage", "sendChatMessage");
    const before = performance.now();
    void message();
    await eventually(() => countOf("waiting") === 1, { what: "the third message waits" });
    const waitsAt = performance.now();

    running.shift()?.end();

    await runs("sendChatMessage", "sendChatMessage");
    expect(arrivals[2]).within(before, waitsAt);
  });

  it("are separate for requests without the database, and for staff and other services", async () => {
    await full();
    const headers = signedIn();

    void post("/v1/auth/ws-ticket", headers);
    void call("/v1/admin/reports", { headers });
    await eventually(() => running.length === 4, { what: "each has a slot" });
    void call("/v1/webhooks/ingest/publish", {
      method: "POST",
      headers: { "x-system-key": SYSTEM_KEY, "content-type": "application/x-www-form-urlencoded" },
      body: "call=publish&addr=127.0.0.1&name=key&clientid=1",
    });
    await eventually(() => countOf("waiting") === 1, { what: "the hook waits for the only reserved slot" });
    running.find(({ id }) => id === "listReports")?.end();
    await eventually(() => running.some(({ id }) => id === "ingestPublish"));
  });

  it("aren't needed for a cached answer", async () => {
    await (await call("/v1/streams")).text();
    await full();

    const cached = await call("/v1/streams");

    expect([cached.status, running.length]).deep.equal([200, 2]);
  });

  it("are needed to make an answer that is cached", async () => {
    await full();

    const made = call("/v1/streams?page=2");
    await eventually(() => countOf("waiting") === 1, { what: "what makes the answer waits" });
    running.shift()?.end();

    expect((await made).status).equal(200);
  });

  it("aren't held by a reader who takes nothing of a download", async () => {
    const { authorization } = signedIn();
    const reader = new RawConnection(app.port);
    reader.socket.pause();
    reader.write(headOf("GET /v1/users/me/export", `Authorization: ${authorization}`));
    await eventually(() => isDownloading, { what: "the download has begun" });

    expect(countOf("taken")).equal(0);
    reader.close();
  });
});
