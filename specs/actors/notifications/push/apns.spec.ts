import { expect } from "chai";
import { createApns } from "../../../../actors/notifications/push/apns.ts";
import type { PushMessage, PushSender } from "../../../../actors/notifications/push/sender.ts";
import { standingClock } from "../../../support/clock.ts";
import { CERTIFICATE } from "./certificate.ts";
import { startApns } from "./services.ts";

const TOKEN = "ab12".repeat(16);

describe("Apple's push service", () => {
  let service: Awaited<ReturnType<typeof startApns>>;
  let sender: PushSender;
  const clock = standingClock();
  before(async () => {
    service = await startApns();
    sender = createApns(service.settings, clock, { url: service.url, ca: CERTIFICATE.cert });
  });
  after(async () => {
    sender.close();
    await service.close();
  });
  beforeEach(() => {
    service.received.splice(0);
    service.answering.with = () => ({ status: 200 });
  });

  const message = (): PushMessage => ({
    title: "Raid",
    body: "ana raided you with 5 viewers.",
    link: "https://live.example/ana",
    type: "raid",
    count: 1,
    collapseId: "push-7",
    usefulUntil: new Date(clock.now() + 3_600_000),
  });
  const send = () => sender.send(TOKEN, message());
  const bearers = () =>
    service.received.map(({ headers }) => (headers.authorization ?? "").replace("bearer ", ""));

  it("receives requests by HTTP/2 over one connection, with a token that our key signed", async () => {
    const answers = await Promise.all([send(), send(), send()]);

    expect(answers).deep.equal(Array(3).fill({ outcome: "taken" }));
    expect(service.connections()).equal(1);
    const [one] = service.received;
    expect(one?.path).equal(`/3/device/${TOKEN}`);
    expect(one?.headers).include({
      "apns-topic": "tv.example.app",
      "apns-push-type": "alert",
      "apns-priority": "10",
      "apns-collapse-id": "push-7",
      "apns-expiration": String(Math.floor(clock.now() / 1_000) + 3_600),
    });
    expect(JSON.parse(String(one?.body))).deep.equal({
      aps: {
        alert: { title: "Raid", body: "ana raided you with 5 viewers." },
        sound: "default",
        "thread-id": "raid",
      },
      type: "raid",
      count: "1",
      link: "https://live.example/ana",
    });
    const { payload, protectedHeader } = await service.verify(bearers()[0] ?? "");
    expect(protectedHeader).include({ alg: "ES256", kid: "ABC123DEFG" });
    expect(payload).deep.equal({ iss: "DEF123GHIJ", iat: Math.floor(clock.now() / 1_000) });
  });

  it("gets the same token for a while, and another before the hour is over", async () => {
    await send();
    clock.move(39 * 60_000);
    await send();
    clock.move(2 * 60_000);
    await send();
    const [first, second, third] = bearers();
    expect(second).equal(first);
    expect(third).not.equal(first);
  });

  for (const [status, reason, outcome] of [
    [410, "Unregistered", "gone"],
    [400, "BadDeviceToken", "gone"],
    [410, "ExpiredToken", "gone"],
    [400, "DeviceTokenNotForTopic", "refused"],
    [413, "PayloadTooLarge", "refused"],
    [403, "ExpiredProviderToken", "later"],
    [429, "TooManyRequests", "later"],
    [500, "InternalServerError", "later"],
    [503, "Shutdown", "later"],
  ] as const) {
    it(`answers ${reason} for ${outcome}`, async () => {
      service.answering.with = () => ({ status, body: { reason } });
      expect((await send()).outcome).equal(outcome);
    });
  }

  it("comes again when it says", async () => {
    const body = { reason: "TooManyRequests" };
    service.answering.with = () => ({ status: 429, headers: { "retry-after": "30" }, body });
    expect(await send()).include({ outcome: "later", afterMs: 30_000 });
  });

  it("gets another token after it has refused one", async () => {
    service.answering.with = () => ({ status: 403, body: { reason: "ExpiredProviderToken" } });
    await send();
    service.answering.with = () => ({ status: 200 });
    clock.move(1_000);
    expect(await send()).deep.equal({ outcome: "taken" });
    expect(bearers()[1]).not.equal(bearers()[0]);
  });

  it("receives requests over another connection after its GOAWAY", async () => {
    await send();
    service.goAway();
    for (let tries = 0; tries < 3; tries++) {
      const answer = await send().catch((err: unknown) => String(err));
      if (typeof answer === "object") expect(answer).deep.equal({ outcome: "taken" });
    }
    expect(await send()).deep.equal({ outcome: "taken" });
  });

  it("receives no request for what is no token of its own", async () => {
    expect(await sender.send("../../etc/passwd", message())).deep.equal({ outcome: "gone" });
    expect(service.received).deep.equal([]);
  });

  it("leaves no word of token or key in what failed", async () => {
    const nowhere = createApns(service.settings, clock, { url: "https://localhost:1" });
    const failure = String(await nowhere.send(TOKEN, message()).catch((err: unknown) => err));
    expect(failure).contain("wasn't reached").and.not.contain(TOKEN);
    nowhere.close();
  });
});
