import { expect } from "chai";
import { createClient, SessionChangedError, type Tokens } from "../../clients/typescript/src/index.ts";
import { eventually } from "../support/eventually.ts";
import { givenChannels } from "../support/given-channels.ts";
import { givenPasskey } from "../support/passkey.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { newAccount } from "./new-account.ts";
import { watchedFetch } from "./watched-fetch.ts";

const ME = "/v1/users/me";
const REFRESH = "/v1/auth/refresh";
const LOGIN = "/v1/auth/login";

describe("The client, when somebody else signs in", () => {
  const { world } = setUpWorld();
  const ada = newAccount();
  const bob = newAccount();
  const asAda = { login: ada.username, password: ada.password };
  const asBob = { login: bob.username, password: bob.password };
  before(async () => {
    for (const body of [ada, bob]) await createClient({ baseUrl: world.baseUrl }).call("register", { body });
  });

  /** Signed in as Ada. */
  async function adasClient(mode: "bearer" | "cookie" = "bearer") {
    const network = watchedFetch();
    const kept: (Tokens | null)[] = [];
    const onTokens = (tokens: Tokens | null) => void kept.push(tokens);
    const auth = mode === "bearer" ? { mode, onTokens } : ({ mode, serviceClient: "specs" } as const);
    const client = createClient({ baseUrl: world.baseUrl, fetch: network.fetch, auth });
    await client.call("login", { body: asAda });
    return { client, network, kept };
  }
  /** In another tab of the same browser. */
  const bobSignsInBeside = ({ cookies }: { cookies: Map<string, string> }) =>
    createClient({
      baseUrl: world.baseUrl,
      fetch: watchedFetch(cookies).fetch,
      auth: { mode: "cookie", serviceClient: "specs" },
    }).call("login", { body: asBob });
  const outcome = (call: Promise<unknown>) => call.catch((err: unknown) => err);

  it("stays signed in when the answer of a refresh gets lost", async () => {
    const { client, network, kept } = await adasClient();
    network.spoil(ME);
    network.lose(REFRESH);

    expect(await client.call("getMe")).property("username", ada.username);

    expect(network.count(REFRESH)).equal(2);
    expect(kept).not.include(null);
    expect(await client.call("getMe")).property("username", ada.username);
  });

  it("takes the tokens of a sign-in with a passkey", async () => {
    const { client, kept } = await adasClient();
    const { passkey } = await givenPasskey(world.api.as({ token: client.tokens?.accessToken ?? "" }));
    const signedOut = createClient({ baseUrl: world.baseUrl, auth: { mode: "bearer" } });

    const credential = passkey.get(await signedOut.call("startPasskeySignIn"));
    await signedOut.call("signInWithPasskey", { body: { credential } });

    expect(await signedOut.call("getMe")).property("username", ada.username);
    expect(signedOut.tokens?.accessToken).a("string").and.not.equal(kept[0]?.accessToken);
  });

  it("drops the tokens of a refresh that comes after the next sign-in", async () => {
    const { client, network, kept } = await adasClient();
    network.spoil(ME);
    const free = network.hold(REFRESH);
    const call = outcome(client.call("getMe"));
    await eventually(() => network.count(REFRESH) === 1);

    await client.call("login", { body: asBob });
    const { tokens } = client;
    free();

    expect(await call).instanceOf(SessionChangedError);
    expect(client.tokens).equal(tokens);
    expect(kept).length(2);
    expect(await client.call("getMe")).property("username", bob.username);
  });

  it("drops them after a log-out too", async () => {
    const { client, network, kept } = await adasClient();
    network.spoil(ME);
    const free = network.hold(REFRESH);
    const call = outcome(client.call("getMe"));
    await eventually(() => network.count(REFRESH) === 1);

    await client.call("logout");
    free();

    expect(await call).instanceOf(SessionChangedError);
    expect([client.tokens, kept.at(-1)]).deep.equal([null, null]);
  });

  it("renews for the next user while the last one's refresh is under way", async () => {
    const { client, network } = await adasClient();
    network.spoil(ME);
    const free = network.hold(REFRESH);
    const call = outcome(client.call("getMe"));
    await eventually(() => network.count(REFRESH) === 1);
    await client.call("login", { body: asBob });

    network.spoil(ME);
    const me = await client.call("getMe");

    expect(me.username).equal(bob.username);
    expect(network.count(REFRESH)).equal(2);
    free();
    await call;
  });

  it("repeats no call as the next user: neither one whose token was too old, nor one that waits", async () => {
    const { client, network } = await adasClient();
    network.spoil(ME);
    const free = network.hold(ME);
    const refused = outcome(client.call("getMe"));
    await eventually(() => network.count(ME) === 1);
    const body = JSON.stringify({ code: "rate_limited", message: "Not now." });
    network.answerInstead(
      "/v1/streams/me",
      new Response(body, { status: 429, headers: { "retry-after": "5" } }),
    );
    const waiting = outcome(client.call("getMyStream"));
    await eventually(() => network.count("/v1/streams/me") === 1);

    await client.call("login", { body: asBob });
    free();

    expect(await refused).instanceOf(SessionChangedError);
    expect(await waiting).instanceOf(SessionChangedError);
    expect([network.count(ME), network.count("/v1/streams/me"), network.count(REFRESH)]).deep.equal([
      1, 1, 0,
    ]);
  });

  it("shows nobody what the last user was answered, and reads no page as another", async () => {
    const { client, network } = await adasClient();
    const given = givenChannels(world);
    const owners = await Promise.all([given.channel(), given.channel()]);
    for (const { owner } of owners) await outcome(client.call("followUser", { path: { user_id: owner.id } }));
    const pages = client.each("listMyFollowing", { query: { per_page: 1 } });
    await pages.next();
    const free = network.hold(ME);
    const late = outcome(client.call("getMe"));
    await eventually(() => network.count(ME) === 1);

    await client.call("login", { body: asBob });
    free();

    expect(await late).instanceOf(SessionChangedError);
    expect(await outcome(pages.next())).instanceOf(SessionChangedError);
  });

  it("is the user of the last request, when sign-ins and log-outs overtake each other", async () => {
    const { client, network } = await adasClient();
    const free = network.hold(LOGIN);
    const slow = outcome(client.call("login", { body: asAda }));
    await eventually(() => network.count(LOGIN) === 2);
    await client.call("login", { body: asBob });
    free();
    expect(await slow).instanceOf(SessionChangedError);

    const freeOut = network.hold("/v1/auth/logout");
    const out = outcome(client.call("logout"));
    await eventually(() => network.count("/v1/auth/logout") === 1);
    await client.call("login", { body: asBob });
    freeOut();

    expect(await out).instanceOf(SessionChangedError);
    expect(await client.call("getMe")).property("username", bob.username);
  });

  it("stays the same user through refreshes", async () => {
    const { client, network } = await adasClient();
    const { identity } = client;
    network.spoil(ME);

    expect(await client.call("getMe")).property("username", ada.username);
    await client.call("refresh", { body: { refresh_token: client.tokens?.refreshToken ?? "" } });

    expect(network.count(REFRESH)).equal(2);
    expect([client.identity === identity, identity.aborted]).deep.equal([true, false]);
    await client.call("logout");
    expect(identity.reason).instanceOf(SessionChangedError);
  });

  it("lets no late answer set the cookies of the user before", async () => {
    const { client, network } = await adasClient("cookie");
    network.cookies.delete("lc_access_token");
    const free = network.hold(REFRESH);
    const call = outcome(client.call("getMe"));
    await eventually(() => network.count(REFRESH) === 1);

    const login = client.call("login", { body: asBob });
    expect(network.count(LOGIN), "it waits for the refresh").equal(1);
    free();
    await Promise.all([login, call]);

    expect(await client.call("getMe")).property("username", bob.username);
  });

  it("ends an identity by cookies when another tab's user answers the refresh, and repeats no call as that user", async () => {
    const { client, network } = await adasClient("cookie");
    const { identity } = client;
    await bobSignsInBeside(network);
    network.cookies.delete("lc_access_token");

    expect(await outcome(client.call("updateMe", { body: { bio: "ada's" } }))).instanceOf(
      SessionChangedError,
    );

    expect([network.count(REFRESH), network.count(ME)]).deep.equal([1, 1]);
    expect(identity.reason).instanceOf(SessionChangedError);
    expect(await client.call("getMe")).include({ username: bob.username, bio: null });
  });

  it("ends an identity by cookies when getMe names another tab's user, and answers who that is", async () => {
    const { client, network } = await adasClient("cookie");
    const { identity } = client;
    await bobSignsInBeside(network);

    expect(await client.call("getMe")).include({ username: bob.username });

    expect(identity.reason).instanceOf(SessionChangedError);
  });

  it("ends nothing for visitors by cookies who never were signed in", async () => {
    const auth = { mode: "cookie", serviceClient: "specs" } as const;
    const client = createClient({ baseUrl: world.baseUrl, fetch: watchedFetch().fetch, auth });
    const { identity } = client;

    expect(await client.attempt("getMe")).include({ ok: false, status: 401 });

    expect(identity.aborted).equal(false);
  });
});
