// @waits: for push services that answer late.
import { createSocket } from "node:dgram";
import { stat } from "node:fs/promises";
import { expect } from "chai";
import { decodeJwt, importJWK, jwtVerify } from "jose";
import webPush from "web-push";
import {
  addressesByDns,
  type HostPolicy,
  PUBLIC_HOSTS,
} from "../../../../actors/notifications/push/public-https.ts";
import type { PushMessage, PushSender } from "../../../../actors/notifications/push/sender.ts";
import {
  createWebPush,
  publicKeyOf,
  subscriptionOf,
} from "../../../../actors/notifications/push/web-push.ts";
import { standingClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { newBrowser } from "./browser.ts";
import { CERTIFICATE } from "./certificate.ts";
import { startWebPushService } from "./services.ts";

const HERE = [{ address: "127.0.0.1", family: 4 }];
const SUBJECT = "mailto:operator@live.example";

describe("Web push", () => {
  let service: Awaited<ReturnType<typeof startWebPushService>>;
  let reach: HostPolicy;
  let sender: PushSender;
  const clock = standingClock();
  const { privateKey, publicKey } = webPush.generateVAPIDKeys();
  before(async () => {
    service = await startWebPushService();
    const isThisMachine = ({ hostname }: URL) => hostname === "localhost";
    reach = {
      mayName: isThisMachine,
      addressesOf: async () => HERE,
      mayConnect: (address) => address === "127.0.0.1" || address === "::1",
      connection: { ca: CERTIFICATE.cert },
    };
    sender = createWebPush({ privateKey, subject: SUBJECT }, clock, reach);
  });
  after(async () => {
    sender.close();
    await service.close();
  });
  beforeEach(() => {
    service.received.splice(0);
    service.answering.with = () => ({ status: 201 });
  });

  const browserAt = (path = "/p/one") => newBrowser(`${service.url}${path}`);
  const message = (more: Partial<PushMessage> = {}): PushMessage => ({
    title: "New follower",
    body: "ana follows you.",
    link: "https://live.example/ana",
    type: "follower",
    count: 1,
    collapseId: "push-7",
    usefulUntil: new Date(clock.now() + 3_600_000),
    ...more,
  });

  it("is encrypted to the browser, and signed with VAPID for the push service", async () => {
    const browser = browserAt();
    expect(await sender.send(browser.token, message())).deep.equal({ outcome: "taken" });

    const [one] = service.received;
    expect(one?.path).equal("/p/one");
    expect(one?.headers).include({ ttl: "3600", topic: "push-7", urgency: "normal" });
    expect(one?.headers).include({ "content-encoding": "aes128gcm" });
    expect(browser.open(one?.body ?? Buffer.alloc(0))).deep.equal({
      title: "New follower",
      body: "ana follows you.",
      tag: "push-7",
      type: "follower",
      count: "1",
      link: "https://live.example/ana",
    });
    expect(() => browserAt().open(one?.body ?? Buffer.alloc(0))).throw();

    const [, token = "", key = ""] =
      /^vapid t=([^,]+), ?k=(.+)$/.exec(one?.headers.authorization ?? "") ?? [];
    expect(key).equal(publicKey).and.equal(publicKeyOf(privateKey));
    const point = Buffer.from(key, "base64url");
    const jwk = {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
    };
    await jwtVerify(token, await importJWK(jwk, "ES256"), { audience: service.url, subject: SUBJECT });
    expect(Number(decodeJwt(token).exp)).below(Date.now() / 1_000 + 86_400);
  });

  it("stays within 4 KiB with the longest texts of whatever alphabet", async () => {
    const browser = browserAt();
    const long = {
      title: "漢".repeat(100),
      body: "😀".repeat(200),
      link: `https://live.example/${"a".repeat(479)}`,
    };
    await sender.send(browser.token, message(long));
    expect(service.received[0]?.body.length).below(4_096);
    expect(browser.open(service.received[0]?.body ?? Buffer.alloc(0))).include(long);
  });

  for (const [status, outcome] of [
    [404, "gone"],
    [410, "gone"],
    [400, "refused"],
    [403, "refused"],
    [413, "refused"],
    [302, "refused"],
    [500, "later"],
    [503, "later"],
  ] as const) {
    it(`takes ${status} for ${outcome}`, async () => {
      service.answering.with = () => ({ status, headers: { location: `${service.url}/elsewhere` } });
      expect((await sender.send(browserAt().token, message())).outcome).equal(outcome);
      expect(service.received).length(1);
    });
  }

  it("comes again when the service says, in seconds or by a date, within an hour", async () => {
    const waits: unknown[] = [];
    const inSeconds = (seconds: number) => new Date(clock.now() + seconds * 1_000).toUTCString();
    for (const after of ["120", inSeconds(60), "999999", "soon", ""]) {
      service.answering.with = () => ({ status: 429, headers: after ? { "retry-after": after } : {} });
      const answer = await sender.send(browserAt().token, message());
      waits.push(answer.outcome === "later" ? answer.afterMs : answer);
    }
    // A header's date has whole seconds.
    expect(waits[0]).equal(120_000);
    expect(Number(waits[1])).within(59_000, 60_000);
    expect(waits.slice(2)).deep.equal([3_600_000, null, null]);
  });

  it("reads little of an answer, and waits for none that is longer", async () => {
    service.answering.with = () => ({ status: 201, body: "x".repeat(50_000_000) });
    expect(await sender.send(browserAt().token, message())).deep.equal({ outcome: "taken" });
  });

  it("asks no host that isn't public, by whatever name or address", async () => {
    const outside = createWebPush({ privateKey, subject: SUBJECT }, clock);
    const { hostname, port } = new URL(service.url);
    for (const endpoint of [
      `${service.url}/p`,
      "https://127.0.0.1/p",
      "https://2130706433/p",
      "https://[::1]/p",
      "https://[::ffff:10.0.0.1]/p",
      "https://169.254.169.254/latest/meta-data",
      `http://${hostname}:${port}/p`,
      "https://push.example.com:8443/p",
      "https://user:word@push.example.com/p",
      "https://localhost/p",
      "https://intranet/p",
      "file:///etc/passwd",
    ])
      expect(await outside.send(newBrowser(endpoint).token, message()), endpoint).deep.equal({
        outcome: "gone",
      });
    outside.close();
    expect(service.received).deep.equal([]);
  });

  it("nor a public name that leads to an address which isn't, which it looks at where it connects", async () => {
    const named = createWebPush({ privateKey, subject: SUBJECT }, clock, {
      mayName: () => true,
      addressesOf: async () => [{ address: "93.184.216.34", family: 4 }, ...HERE],
      mayConnect: PUBLIC_HOSTS.mayConnect,
      connection: { ca: CERTIFICATE.cert },
    });
    const failure = await named.send(browserAt().token, message()).then(String, String);
    expect(failure).contain("ENOTPUBLIC").and.not.contain("localhost");
    const bare = newBrowser(service.url.replace("localhost", "127.0.0.1"));
    expect(await named.send(bare.token, message()).then(String, String)).contain("isn't a public one");
    named.close();
    expect(service.received).deep.equal([]);
  });

  it("asks names whose servers never answer for seconds, and keeps nothing else waiting meanwhile", async () => {
    const silent = createSocket("udp4").on("message", () => undefined);
    await new Promise<void>((bound) => silent.bind(0, "127.0.0.1", bound));
    const addressesOf = addressesByDns([`127.0.0.1:${silent.address().port}`]);
    const lookups = Array.from({ length: 8 }, (_, n) => addressesOf(`push${n}.example.com`));

    // By the threads in which the system would look names up.
    const isFirst = await Promise.race([stat("package.json").then(() => true), ...lookups]);
    expect(isFirst).equal(true);
    expect(await Promise.all(lookups)).deep.equal(lookups.map(() => []));
    silent.close();
  });

  it("keeps few places for hosts of strangers, so that ones that never answer hold up no other", async () => {
    service.answering.with = () => null;
    const own = createWebPush({ privateKey, subject: SUBJECT }, clock, reach);
    const hanging = Array.from({ length: 4 }, () => own.send(browserAt().token, message()).catch(String));
    await eventually(() => expect(service.received).length(4));

    expect(await own.send(browserAt().token, message())).deep.equal({ outcome: "crowded" });

    own.close();
    await Promise.all(hanging);
    expect(service.received).length(4);
  });

  it("reports whose fault a refusal is: that of the host that a user named, not ours", async () => {
    service.answering.with = () => ({ status: 403 });
    expect(await sender.send(browserAt().token, message())).include({ outcome: "refused", isOurs: false });
  });

  it("takes nothing for a subscription that isn't one", () => {
    const good = newBrowser("https://push.example.com/p").token;
    expect(subscriptionOf(good)).not.equal(null);
    const { endpoint, keys } = JSON.parse(good);
    for (const bad of [
      "{",
      "[]",
      "null",
      JSON.stringify({ endpoint }),
      JSON.stringify({ endpoint, keys: { ...keys, auth: "short" } }),
      JSON.stringify({ endpoint, keys: { ...keys, p256dh: keys.auth } }),
      JSON.stringify({ endpoint: 7, keys }),
      JSON.stringify({ endpoint: `https://push.example.com/${"p".repeat(2_048)}`, keys }),
    ])
      expect(subscriptionOf(bad), bad.slice(0, 60)).equal(null);
  });

  it("takes keys that are no point of the curve for no device", async () => {
    const { endpoint, keys } = JSON.parse(browserAt().token);
    const p256dh = Buffer.alloc(65, 4).toString("base64url");
    const token = JSON.stringify({ endpoint, keys: { ...keys, p256dh } });
    expect(await sender.send(token, message())).deep.equal({ outcome: "gone" });
  });
});
