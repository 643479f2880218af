import { expect } from "chai";
import { shows } from "../../../../contract/coverage/shows.ts";
import type { Scope } from "../../../../contract/scopes.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("personal API tokens, by REST", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });

  const make = (owner: Person, scopes: Scope[] = ["user:read"]) =>
    owner.api.ok("createApiToken", { body: { name: "Stream bot", scopes } });
  const carriers = (token: string): Record<string, string>[] => [
    { authorization: `Bearer ${token}` },
    { "x-api-key": token },
  ];

  it("are shown once, and listed by their prefix", async () => {
    const owner = await given.user();
    const { token, ...shown } = await make(owner);
    const { token: _, ...second } = await owner.api.ok("createToken", { body: { name: "Second" } });

    expect((await owner.api.ok("listApiTokens")).items).deep.equal([second, shown]);
    expect((await owner.api.ok("listTokens")).items).deep.equal([second, shown]);
    expect(token.startsWith(shown.prefix)).equal(true);
    expect(shown).include({ name: "Stream bot", expires_at: null });
    expect(shown).not.have.property("last_used_at");
    expect(second.scopes).deep.equal(["chat:read", "chat:send"]);
    shows("absent APIToken.token");
  });

  it("come as a bearer or as an API key", async () => {
    const owner = await given.user();
    const { token } = await make(owner);

    for (const carrier of carriers(token))
      expect(await world.api.with(carrier).ok("getMe")).include({ id: owner.id });
    await eventually(async () => (await owner.api.ok("listTokens")).items[0]?.last_used_at != null);
  });

  it("give way to a bearer, good or bad, and go before cookies", async () => {
    const [one, two] = [await given.user(), await given.user()];
    const { token } = await make(one, ["user:read", "channel:manage"]);
    const ofTwo = { authorization: `Bearer ${two.token}` };
    const both = world.api.with({ ...ofTwo, "x-api-key": token });
    const bad = world.api.with({ authorization: "Bearer nonsense", "x-api-key": token });
    const beside = world.api.with({ cookie: `lc_access_token=${two.token}`, "x-api-key": token });
    const badKey = world.api.with({ cookie: `lc_access_token=${two.token}`, "x-api-key": "nonsense" });

    expect(await both.ok("getMe")).include({ id: two.id });
    expect((await bad.call("getMe")).code).equal("invalid_token");
    expect(await beside.ok("getMe")).include({ id: one.id });
    expect((await badKey.call("getMe")).code).equal("invalid_token");
    // No browser adds it on its own.
    expect((await beside.call("followUser", { params: { user_id: two.id } })).status).equal(200);
  });

  it("are refused what their scopes don't name, with the scopes that it needs", async () => {
    const owner = await given.user();
    const { token } = await make(owner);

    for (const carrier of carriers(token)) {
      const refused = await world.api.with(carrier).call("listMyPoints");
      expect(refused).include({ status: 403, code: "insufficient_scope" });
      expect(refused.details).deep.equal({ scopes: ["points:read"] });
    }
  });

  it("belong to their user alone", async () => {
    const [one, two] = [await given.user(), await given.user()];
    const { id, token } = await make(one);

    const refused = await two.api.call("deleteToken", { params: { token_id: id } });

    expect(refused.code).equal("not_found");
    expect((await two.api.ok("listTokens")).items).deep.equal([]);
    expect(await world.api.with({ "x-api-key": token }).ok("getMe")).include({ id: one.id });
    expect((await one.api.call("deleteToken", { params: { token_id: id } })).status).equal(204);
    expect((await world.api.with({ "x-api-key": token }).call("getMe")).code).equal("invalid_token");
  });

  it("are refused for a minute once they are used up, and neither their user nor another of theirs with them", async () => {
    const owner = await given.user();
    const [busy, quiet] = [(await make(owner)).token, (await make(owner)).token];
    const ask = (token: string) => world.api.with({ "x-api-key": token }).call("getMe");
    for (let sent = 0; sent < 600; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask(busy)));
      expect(new Set(answers.map(({ status }) => status))).deep.equal(new Set([200]));
    }

    const refused = await ask(busy);

    expect(refused).include({ status: 429, code: "rate_limited" });
    expect(refused.details).include({ bucket: "token", limit: 600, window_seconds: 60 });
    expect(Number(refused.headers.get("retry-after"))).within(1, 60);
    expect([(await ask(quiet)).status, (await owner.api.call("getMe")).status]).deep.equal([200, 200]);
    shows("limits.by_key");
  });

  it("expire, and can't have done so from the beginning", async () => {
    const owner = await given.user();
    const at = (ms: number) => ({ name: "bot", expires_at: new Date(clock.now() + ms).toISOString() });

    const refused = await owner.api.call("createToken", { body: at(-1) });
    const { expires_at } = await owner.api.ok("createToken", { body: at(60_000) });

    expect(refused.details).deep.include({
      errors: [{ path: "/body/expires_at", rule: "minimum", message: "must be in the future" }],
    });
    expect(Date.parse(String(expires_at))).above(clock.now());
  });

  it("expire at a time that there is, within ten years, or aren't made", async () => {
    const owner = await given.user();
    for (const expires_at of ["2030-06-30T23:59:60Z", "9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59Z"]) {
      const refused = await owner.api.call("createToken", { body: { name: "bot", expires_at } });
      expect(refused).include({ status: 400, code: "validation_failed" });
    }
    expect((await owner.api.ok("listTokens")).items).deep.equal([]);
  });

  it("count in a bucket each, beside their user's, and ten are made an hour", async () => {
    const owner = await given.user();
    const tokens = await Promise.all([1, 2].map(async () => (await make(owner)).token));
    const left = async (headers: Record<string, string>) => {
      const answer = await world.api.with(headers).call("getMe");
      return [answer.headers.get("ratelimit-policy"), answer.headers.get("ratelimit-remaining")];
    };

    for (const token of tokens) {
      expect(await left({ "x-api-key": token })).deep.equal(['600;w=60;name="token"', "599"]);
      expect(await left({ authorization: `Bearer ${token}` })).deep.equal(['600;w=60;name="token"', "598"]);
    }
    // Two tokens made, and this one.
    expect(await left({ authorization: `Bearer ${owner.token}` })).deep.equal([
      '600;w=60;name="default"',
      "597",
    ]);
    for (let made = 2; made < 10; made++) await make(owner);
    const refused = await owner.api.call("createToken", { body: { name: "one more" } });
    expect(refused).include({ status: 429 });
    expect(refused.details).include({ bucket: "tokens", limit: 10 });
  });
});
