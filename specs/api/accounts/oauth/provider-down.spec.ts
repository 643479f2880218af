// @waits: for a provider that is away.
import type { RequestListener } from "node:http";
import { expect } from "chai";
import { refusalOf } from "../../../../actors/accounts/oauth/provider-failures.ts";
import { createOutageLog } from "../../../../base/outage-log.ts";
import { eventually } from "../../../support/eventually.ts";
import { recordingLog } from "../../../support/recording-log.ts";
import { HOME, type OpenedOauth, openOauth } from "./open-oauth.ts";

describe("a provider that doesn't do what it should", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth();
  });
  after(() => o?.close());

  const start = (provider: string) => o.world.api.call("startOauth", { params: { provider } });
  const failing: RequestListener = (_req, res) => void res.writeHead(503).end();

  it("holds up 64 at once, and no more wait for it", async () => {
    const held: (() => void)[] = [];
    o.two.standIn((req, res) => void held.push(() => o.two.listener(req, res)));
    const answers: Awaited<ReturnType<typeof start>>[] = [];
    const asking = Array.from({ length: 65 }, async () => void answers.push(await start("two")));
    await eventually(() => answers.length > 0, { what: "one is refused while the others wait" });
    const [refused] = answers;
    o.two.standIn(null);
    for (const release of held) release();
    await Promise.all(asking);

    expect([refused?.code, refused?.details.retry_after_ms]).deep.equal(["unavailable", 1_000]);
    expect(answers.filter(({ status }) => status === 302)).length(64);
  });

  it("is unavailable by itself while it is down, and is called no more than every five seconds", async () => {
    o.one.standIn(failing);
    const answers = await Promise.all([1, 2, 3, 4].map(() => start("app")));
    const requests = o.one.requests.length;
    const later = await start("app");
    o.one.standIn(null);

    expect(answers.map(({ code }) => code)).deep.equal(Array(4).fill("unavailable"));
    expect(Number(later.headers.get("retry-after"))).within(1, 5);
    expect(requests).equal(1);
    expect(o.one.requests.length).equal(requests);
    expect((await start("two")).status).equal(302);
  });

  it("has five seconds for an answer, however often it sends a byte of it", async () => {
    const by = o.browser();
    const { login } = await o.newcomer(by, o.one);
    const back = await o.wayBack(by, o.one, login);
    let sent = 0;
    const dripping: RequestListener = (_req, res) => {
      res.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => void (res.write(" ") && sent++), 50);
      res.on("close", () => clearInterval(drip));
    };

    o.one.standIn(dripping);
    const startedAt = performance.now();
    const { fragment } = await o.arrive(by, back);
    const tookMs = performance.now() - startedAt;
    o.one.standIn(null);

    expect(fragment.error).equal("unavailable");
    expect(sent).greaterThan(10);
    expect(tookMs).within(4_900, 7_500);
  });

  it("has eight seconds for all requests of a sign-in together", async () => {
    const by = o.browser();
    const { login } = await o.newcomer(by, o.two);
    const back = await o.wayBack(by, o.two, login);
    o.two.standIn((req, res) => void setTimeout(() => o.two.listener(req, res), 4_500));

    const startedAt = performance.now();
    const { fragment } = await o.arrive(by, back);
    const tookMs = performance.now() - startedAt;
    o.two.standIn(null);

    expect(fragment.error).equal("unavailable");
    expect(tookMs).within(7_900, 10_500);
  });

  it("isn't quoted in the log, whatever it wrote", () => {
    const logged: unknown[] = [];
    const note = (...line: unknown[]) => void logged.push(...line.slice(0, 1));
    const log = { warn: note, error: note };
    const wrote = new SyntaxError('Unexpected token "s", "secret-tok"... is not valid JSON');

    const outage = createOutageLog(recordingLog([]), "sign-in provider");
    const refusal = refusalOf(wrote, { id: "one" }, { log, outage });

    expect(refusal.cause).equal(undefined);
    expect(logged).length(1);
    expect(JSON.stringify(logged)).not.include("secret");
  });

  it("takes browsers back to their page with the reason, where it fails in the middle", async () => {
    const by = o.browser();
    const { login } = await o.newcomer(by, o.one);
    const back = await o.wayBack(by, o.one, login);

    o.one.standIn(failing);
    const { page, fragment } = await o.arrive(by, back);
    o.one.standIn(null);

    expect([page, fragment.error]).deep.equal([HOME, "unavailable"]);
  });

  it("is read no further than some kilobytes, and never followed elsewhere", async () => {
    const by = o.browser();
    const { login } = await o.newcomer(by, o.one);
    let sent = 0;
    const endless: RequestListener = (_req, res) => {
      res.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        while (!res.destroyed && res.write(" ".repeat(65_536))) sent += 65_536;
      };
      res.on("drain", more);
      more();
    };
    const elsewhere: RequestListener = (_req, res) =>
      void res.writeHead(307, { location: `${o.two.issuer}/token` }).end();

    for (const listener of [endless, elsewhere]) {
      const back = await o.wayBack(by, o.one, login);
      o.two.requests.length = 0;
      o.one.standIn(listener);
      const { fragment } = await o.arrive(by, back);
      o.one.standIn(null);
      expect(fragment.error).equal("unavailable");
      expect(o.two.requests).deep.equal([]);
    }
    expect(sent).below(20_000_000);
  });
});
