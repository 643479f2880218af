import type { RequestListener } from "node:http";
import { expect } from "chai";
import { refusalOf } from "../../../actors/oauth/provider-failures.ts";
import { HOME, type OpenedOauth, openOauth } from "./open-oauth.ts";

describe("a provider that doesn't do what it should", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth();
  });
  after(() => o?.close());

  const start = (provider: string) => o.world.api.call("startOauth", { params: { provider } });
  const failing: RequestListener = (_req, res) => void res.writeHead(503).end();

  it("is unavailable by itself while it is down, and is asked no more than every five seconds", async () => {
    o.two.standIn(failing);
    const answers = await Promise.all([1, 2, 3, 4].map(() => start("two")));
    const asked = o.two.asked.length;
    const later = await start("two");

    expect(answers.map(({ code }) => code)).deep.equal(Array(4).fill("unavailable"));
    expect(Number(later.headers.get("retry-after"))).within(1, 5);
    expect(asked).equal(1);
    expect(o.two.asked.length).equal(asked);
    expect((await start("one")).status).equal(302);
  });

  it("isn't quoted in the log, whatever it wrote", () => {
    const said: unknown[] = [];
    const note = (...line: unknown[]) => void said.push(...line.slice(0, 1));
    const log = { warn: note, error: note };
    const wrote = new SyntaxError('Unexpected token "s", "secret-tok"... is not valid JSON');

    const refusal = refusalOf(wrote, { id: "one" }, log);

    expect(refusal.cause).equal(undefined);
    expect(said).length(1);
    expect(JSON.stringify(said)).not.include("secret");
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
      o.two.asked.length = 0;
      o.one.standIn(listener);
      const { fragment } = await o.arrive(by, back);
      o.one.standIn(null);
      expect(fragment.error).equal("unavailable");
      expect(o.two.asked).deep.equal([]);
    }
    expect(sent).below(20_000_000);
  });
});
