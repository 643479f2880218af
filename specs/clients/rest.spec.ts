import { expect } from "chai";
import { createClient, LivecoreError, type Tokens } from "../../clients/typescript/src/index.ts";
import { givenChannels } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { newAccount } from "./new-account.ts";
import { watchedFetch } from "./watched-fetch.ts";

describe("The client, by REST", () => {
  const { world } = setUpWorld();

  it("is signed in by registering, and reports its tokens so that they can be kept", async () => {
    const kept: (Tokens | null)[] = [];
    const onTokens = (tokens: Tokens | null) => void kept.push(tokens);
    const client = createClient({ baseUrl: world.baseUrl, auth: { mode: "bearer", onTokens } });
    const account = newAccount();

    await client.call("register", { body: account });
    const me = await client.call("getMe");
    await client.call("logout");

    expect(me.username).equal(account.username);
    expect(kept.map((tokens) => tokens !== null)).deep.equal([true, false]);
    expect((await client.attempt("getMe")).ok).equal(false);
  });

  it("renews its tokens once, however many calls find them too old", async () => {
    const { fetch, count } = watchedFetch();
    const first = createClient({ baseUrl: world.baseUrl });
    await first.call("register", { body: newAccount() });
    const { refreshToken = "" } = first.tokens ?? {};
    const tokens = { accessToken: "too.old", refreshToken };
    const client = createClient({ baseUrl: world.baseUrl, fetch, auth: { mode: "bearer", tokens } });

    const answers = await Promise.all(Array.from({ length: 8 }, () => client.call("getMe")));

    expect(new Set(answers.map(({ id }) => id)).size).equal(1);
    expect(count("/v1/auth/refresh")).equal(1);
    expect(client.tokens?.refreshToken).not.equal(refreshToken);
  });

  it("is nobody any more when its session has ended", async () => {
    const tokens = { accessToken: "too.old", refreshToken: "never given" };
    const client = createClient({ baseUrl: world.baseUrl, auth: { mode: "bearer", tokens } });

    const answer = await client.attempt("getMe");

    expect(answer).nested.include({ ok: false, status: 401, "error.code": "invalid_token" });
    expect(client.tokens).equal(null);
  });

  it("is the user of a personal API token, within its scopes, and on sockets", async () => {
    const owner = createClient({ baseUrl: world.baseUrl });
    const account = newAccount();
    await owner.call("register", { body: account });
    const { id, token } = await owner.call("createToken", { body: { name: "bot", scopes: ["user:read"] } });
    const { fetch, count } = watchedFetch();
    const bot = createClient({ baseUrl: world.baseUrl, fetch, auth: { mode: "token", token } });

    expect((await bot.call("getMe")).username).equal(account.username);
    expect(await bot.attempt("listMyPoints")).nested.include({ "error.code": "insufficient_scope" });
    expect(await bot.ticket()).a("string");
    await owner.call("deleteToken", { path: { token_id: id } });
    expect(await bot.attempt("getMe")).nested.include({ "error.code": "invalid_token" });
    expect(await bot.ticket().catch((err: unknown) => err)).instanceOf(LivecoreError);
    expect(count("/v1/auth/refresh")).equal(0);
  });

  it("stays signed in by cookies, and names its front end", async () => {
    const { fetch, cookies, count, seen } = watchedFetch();
    const auth = { mode: "cookie", serviceClient: "specs" } as const;
    const client = createClient({ baseUrl: world.baseUrl, fetch, auth });
    const account = newAccount();
    await client.call("register", { body: account });
    cookies.delete("lc_access_token");

    const [me, stream] = await Promise.all([
      client.call("getMe"),
      client.call("updateMyStream", { body: { name: "renamed" } }),
    ]);

    expect([me.username, stream.name]).deep.equal([account.username, "renamed"]);
    expect(count("/v1/auth/refresh")).equal(1);
    expect(client.tokens).equal(null);
    expect(
      seen
        .filter(({ path }) => path !== "/v1/users/me")
        .every(({ headers }) => headers.has("x-service-client")),
    ).equal(true);
    expect(await client.ticket()).a("string");
  });

  it("gives what takes one an idempotency key, the same for its repeats, another for the next call", async () => {
    const given = givenChannels(world);
    const { owner } = await given.channel();
    const { fetch, seen } = watchedFetch();
    const client = createClient({ baseUrl: world.baseUrl, fetch });
    await client.call("register", { body: newAccount() });
    const placeBet = (idempotencyKey?: string) =>
      client.attempt("placeBet", {
        path: { prediction_id: owner.id },
        body: { outcome_id: "a", amount: 1 },
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      });

    await placeBet();
    await placeBet();
    await placeBet("my own");
    await client.call("getMe");

    const keys = seen
      .filter(({ path }) => path.endsWith("/bets"))
      .map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[0]).match(/^[0-9a-f]{32}$/);
    expect(keys[1])
      .match(/^[0-9a-f]{32}$/)
      .not.equal(keys[0]);
    expect(keys[2]).equal("my own");
    expect(seen.at(-1)?.headers.has("idempotency-key")).equal(false);
  });

  it("distinguishes refusals by their codes, as a result or as an error", async () => {
    const client = createClient({ baseUrl: world.baseUrl });
    const path = { username: "nobody_at_all" };

    const answer = await client.attempt("getPublicProfile", { path });
    const thrown = await client.call("getPublicProfile", { path }).catch((err: unknown) => err);

    expect(answer).nested.include({ ok: false, status: 404, "error.code": "not_found" });
    expect(thrown).instanceOf(LivecoreError).include({ code: "not_found", status: 404 });
  });

  it("reads all pages", async () => {
    const given = givenChannels(world);
    const fan = createClient({ baseUrl: world.baseUrl });
    await fan.call("register", { body: newAccount() });
    const owners = await Promise.all([1, 2, 3, 4, 5].map(() => given.channel()));
    for (const { owner } of owners) await fan.call("followUser", { path: { user_id: owner.id } });

    const followed: string[] = [];
    for await (const { following } of fan.each("listMyFollowing", { query: { per_page: 2 } }))
      followed.push(following.id);

    expect(followed).have.members(owners.map(({ owner }) => owner.id));
  });

  it("reads each item of a list with a cursor once while others go, also from a cursor on", async () => {
    const given = givenChannels(world);
    const { owner } = await given.channel();
    const fans = await Promise.all([1, 2, 3, 4, 5, 6].map(() => given.user()));
    for (const fan of fans) await fan.api.ok("followUser", { params: { user_id: owner.id } });
    const client = createClient({ baseUrl: world.baseUrl });
    const path = { username: owner.username };
    const newestFirst = fans.map(({ id }) => id).reverse();

    const found: string[] = [];
    for await (const { id } of client.each("listFollowers", { path, query: { per_page: 2 } })) {
      if (found.length === 0) await fans[5]?.api.ok("unfollowUser", { params: { user_id: owner.id } });
      found.push(id);
    }
    expect(found).deep.equal(newestFirst);

    const page = await client.call("listFollowers", { path, query: { per_page: 2 } });
    const rest: string[] = [];
    const query = { per_page: 2, before: page.before_cursor ?? "" };
    for await (const { id } of client.each("listFollowers", { path, query })) rest.push(id);
    const last = newestFirst.indexOf(page.items.at(-1)?.id ?? "");
    expect(rest).deep.equal(newestFirst.slice(last + 1));
  });
});
