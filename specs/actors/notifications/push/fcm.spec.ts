import { expect } from "chai";
import { createFcm } from "../../../../actors/notifications/push/fcm.ts";
import type { PushMessage, PushSender } from "../../../../actors/notifications/push/sender.ts";
import { type MovableClock, standingClock } from "../../../support/clock.ts";
import { startFcm, unregistered } from "./services.ts";

const TOKEN = "dW9yQk3sT2m:APA91bVx8nLh5jRz0cEa7pGf4iK";

describe("Firebase Cloud Messaging", () => {
  let service: Awaited<ReturnType<typeof startFcm>>;
  let sender: PushSender;
  let clock: MovableClock;
  beforeEach(async () => {
    service = await startFcm();
    clock = standingClock();
    sender = createFcm(service.settings, clock, { url: service.url });
  });
  afterEach(async () => {
    sender.close();
    await service.close();
  });

  const message = (): PushMessage => ({
    title: "Live now",
    body: "ana is live.",
    link: "https://live.example/ana",
    type: "stream_live",
    count: 1,
    collapseId: "push-7",
    usefulUntil: new Date(clock.now() + 60_000),
  });
  const send = () => sender.send(TOKEN, message());

  it("receives requests of a service account, with an access token for its signed assertion", async () => {
    expect(await Promise.all([send(), send()])).deep.equal(Array(2).fill({ outcome: "taken" }));

    expect(service.tokenRequests).length(1);
    expect(service.tokenRequests[0]?.grant).equal("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const { payload } = await service.verify(
      service.tokenRequests[0]?.assertion ?? "",
      new Date(clock.now()),
    );
    const { clientEmail: iss, tokenUrl: aud } = service.settings;
    const scope = "https://www.googleapis.com/auth/firebase.messaging";
    const iat = Math.floor(clock.now() / 1_000);
    expect(payload).deep.equal({ scope, iss, aud, iat, exp: iat + 3_600 });

    const [one] = service.received;
    expect(one?.path).equal("/v1/projects/spec-project/messages:send");
    expect(JSON.parse(String(one?.body)).message).deep.include({
      token: TOKEN,
      notification: { title: "Live now", body: "ana is live." },
      data: { type: "stream_live", count: "1", link: "https://live.example/ana" },
      android: {
        collapse_key: "push-7",
        priority: "HIGH",
        ttl: "60s",
        notification: { tag: "push-7" },
      },
    });
  });

  it("gets another access token before the hour is over, and after it has refused one", async () => {
    await send();
    clock.move(54 * 60_000);
    await send();
    expect(service.tokenRequests).length(1);
    clock.move(2 * 60_000);
    await send();
    expect(service.tokenRequests).length(2);

    service.access.good.clear();
    expect((await send()).outcome).equal("later");
    expect(await send()).deep.equal({ outcome: "taken" });
    expect(service.tokenRequests).length(3);
  });

  it("asks for an access token again after it got none", async () => {
    service.access.status = 503;
    expect(String(await send().catch((err: unknown) => err))).contain("no access token: 503");
    service.access.status = 200;
    expect(await send()).deep.equal({ outcome: "taken" });
  });

  const violation = {
    error: {
      status: "INVALID_ARGUMENT",
      details: [
        { errorCode: "INVALID_ARGUMENT" },
        { fieldViolations: [{ field: "message.token", description: "Invalid registration token" }] },
      ],
    },
  };
  const plain = (status: string) => ({ error: { status } });
  for (const [what, answer, outcome] of [
    ["UNREGISTERED", unregistered, "gone"],
    ["a token that isn't one", { status: 400, body: violation }, "gone"],
    ["another invalid argument", { status: 400, body: plain("INVALID_ARGUMENT") }, "refused"],
    ["a project that isn't there", { status: 404, body: plain("NOT_FOUND") }, "refused"],
    ["another's token", { status: 403, body: plain("PERMISSION_DENIED") }, "refused"],
    ["QUOTA_EXCEEDED", { status: 429, body: plain("RESOURCE_EXHAUSTED") }, "later"],
    ["UNAVAILABLE", { status: 503, body: plain("UNAVAILABLE") }, "later"],
  ] as const) {
    it(`answers ${what} for ${outcome}`, async () => {
      service.answering.with = () => answer;
      expect((await send()).outcome).equal(outcome);
    });
  }

  it("comes again when it says", async () => {
    service.answering.with = () => ({ status: 429, headers: { "retry-after": "45" }, body: {} });
    expect(await send()).include({ outcome: "later", afterMs: 45_000 });
  });
});
