import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { PASSWORD } from "./open-accounts.ts";
import { clientOf, cookiesOf, type Mode, modes, sessionIdOf } from "./session-modes.ts";

const ACCESS = "lc_access_token";
const REFRESH = "lc_refresh_token";
const DEVICE = "lc_device_id";
const BINDING = "__Host-lc_binding";

/** What browsers alone send, and no page can leave out. */
const BROWSER = { "sec-fetch-site": "same-origin" };

type Pair = readonly [name: string, value: string];

describe("bindings of cookie sessions", () => {
  const clock = movableClock();
  // As over https: there the name has its prefix.
  const { world, given } = setUpWorld({ clock, plainCookiesHere: false });

  function client() {
    const mode = modes.find(({ name }) => name === "cookie");
    if (!mode) throw new Error("There is no cookie mode");
    return clientOf(world.baseUrl, mode satisfies Mode);
  }

  /** Somebody's cookies after a sign-in. */
  async function signedIn() {
    const { username, answer, deviceId } = await client().register();
    const cookies = cookiesOf(answer);
    const pair = (name: string): Pair => [name, cookies[name]?.value ?? ""];
    return {
      username,
      sessionId: sessionIdOf({ deviceId }),
      cookies,
      access: pair(ACCESS),
      refresh: pair(REFRESH),
      device: pair(DEVICE),
      binding: pair(BINDING),
    };
  }

  const headersOf = (...pairs: Pair[]) => ({
    cookie: pairs.map(([name, value]) => `${name}=${value}`).join("; "),
    "x-service-client": "specs",
  });
  /** Who the cookies are taken for, or the refusal. */
  async function whoIs(headers: Record<string, string>): Promise<unknown> {
    const { code, body } = await world.api.with(headers).call("getMe");
    return code ?? Object(body).username;
  }
  const refresh = (headers: Record<string, string>) => world.api.with(headers).call("refresh");

  it("gives a session's browser a binding that no other host can set and that lasts as long", async () => {
    const { cookies } = await signedIn();

    const { "max-age": maxAge, expires: _, ...attributes } = cookies[BINDING]?.attributes ?? {};
    expect(attributes).deep.equal({ path: "/", httponly: "", secure: "", samesite: "Lax" });
    expect(maxAge).equal(cookies[REFRESH]?.attributes["max-age"]);
  });

  it("takes the access cookie that fits the binding, whichever comes first", async () => {
    const [own, planted] = [await signedIn(), await signedIn()];

    for (const access of [
      [own.access, planted.access],
      [planted.access, own.access],
    ])
      expect(await whoIs({ ...headersOf(...access, own.binding), ...BROWSER })).equal(own.username);
  });

  it("refuses an access cookie that doesn't fit the binding", async () => {
    const [own, planted] = [await signedIn(), await signedIn()];
    const without = await given.user();

    for (const access of [planted.access, [ACCESS, without.token], [ACCESS, "nonsense"]] as Pair[])
      expect(await whoIs(headersOf(access, own.binding)), access[1]).equal("invalid_token");
  });

  it("refuses a binding of the right length that isn't ASCII", async () => {
    const { access, binding } = await signedIn();
    const [name, value] = binding;

    expect(await whoIs(headersOf(access, [name, `${value.slice(0, -1)}%C3%A9`]))).equal("invalid_token");
  });

  it("takes an access cookie without a binding only from clients that aren't browsers", async () => {
    const { username, access, binding } = await signedIn();

    expect(await whoIs(headersOf(access))).equal(username);
    for (const site of ["same-origin", "same-site", "cross-site", "none"]) {
      const headers = { "sec-fetch-site": site };
      expect(await whoIs({ ...headersOf(access), ...headers }), site).equal("invalid_token");
      expect(await whoIs({ ...headersOf(access, binding), ...headers }), site).equal(username);
    }
  });

  it("refuses two access cookies without a binding, two bindings, and five access cookies", async () => {
    const [own, other] = [await signedIn(), await signedIn()];

    expect(await whoIs(headersOf(own.access, other.access))).equal("invalid_token");
    expect(await whoIs(headersOf(own.access, own.binding, other.binding))).equal("invalid_token");
    const planted = (most: number) => Array.from({ length: most }, (): Pair => [ACCESS, other.access[1]]);
    expect(await whoIs(headersOf(...planted(3), own.access, own.binding))).equal(own.username);
    expect(await whoIs(headersOf(...planted(4), own.access, own.binding))).equal("invalid_token");
  });

  it("reads no binding from the name without the prefix, which any sibling host can set", async () => {
    const own = await signedIn();
    const planted: Pair = ["lc_binding", own.binding[1]];

    expect(await whoIs({ ...headersOf(own.access, planted), ...BROWSER })).equal("invalid_token");
  });

  it("refreshes the session that fits the binding, whichever refresh cookie comes first", async () => {
    const [own, planted] = [await signedIn(), await signedIn()];

    const answer = await refresh({ ...headersOf(planted.refresh, own.refresh, own.binding), ...BROWSER });

    expect(Object(answer.body).user).include({ username: own.username });
    expect(cookiesOf(answer)[BINDING]?.value).equal(own.binding[1]);
    expect((await refresh(headersOf(planted.refresh))).status).equal(200);
  });

  it("signs no browser in by a refresh cookie of another session, and uses none up", async () => {
    const [own, planted] = [await signedIn(), await signedIn()];

    for (const cookies of [
      [planted.refresh, own.binding],
      [planted.refresh],
      [planted.refresh, own.refresh],
    ]) {
      const answer = await refresh({ ...headersOf(...cookies), ...BROWSER });
      expect([answer.status, answer.code]).deep.equal([401, "invalid_token"]);
    }

    for (const { refresh: token, binding } of [own, planted])
      expect((await refresh({ ...headersOf(token, binding), ...BROWSER })).status).equal(200);
  });

  /** As a worker of an earlier release opens it. */
  async function signedInBefore() {
    const old = await signedIn();
    await world.core.mongo.db
      .collection<{ _id: string }>("sessions")
      .updateOne({ _id: old.sessionId }, { $unset: { boundFrom: true } });
    return old;
  }

  it("gives a session of an earlier release its binding in place of an older session's", async () => {
    const [before, old] = [await signedIn(), await signedInBefore()];
    const browser = (pair: Pair) => ({ ...headersOf(pair, before.binding), ...BROWSER });

    expect(await whoIs(browser(old.access))).equal("invalid_token");
    const answer = await refresh(browser(old.refresh));

    expect(cookiesOf(answer)[BINDING]?.value).equal(old.binding[1]);
    const { code } = await refresh(browser([REFRESH, cookiesOf(answer)[REFRESH]?.value ?? ""]));
    expect(code).equal("invalid_token");
  });

  it("gives a session of an earlier release its binding at its next refresh, also in two tabs", async () => {
    const old = await signedInBefore();

    expect(await whoIs({ ...headersOf(old.access), ...BROWSER })).equal("invalid_token");
    const answers = [await refresh({ ...headersOf(old.refresh), ...BROWSER })];
    answers.push(await refresh({ ...headersOf(old.refresh), ...BROWSER }));

    for (const answer of answers) {
      const { [ACCESS]: access, [BINDING]: binding, [REFRESH]: next } = cookiesOf(answer);
      const pairs: Pair[] = [
        [ACCESS, access?.value ?? ""],
        [BINDING, binding?.value ?? ""],
      ];
      expect(await whoIs({ ...headersOf(...pairs), ...BROWSER })).equal(old.username);
      const unbound = await refresh({ ...headersOf([REFRESH, next?.value ?? ""]), ...BROWSER });
      expect(unbound.code).equal("invalid_token");
    }
  });

  it("takes the binding away at logout", async () => {
    const { access, binding } = await signedIn();

    const answer = await world.api.with({ ...headersOf(access, binding), ...BROWSER }).call("logout");

    expect(cookiesOf(answer)[BINDING]).deep.include({ value: "" });
  });

  it("recognises a browser's device beside a planted one", async () => {
    const [own, planted] = [await signedIn(), await signedIn()];
    const body = { login: own.username, password: "not the password" };
    for (let n = 0; n < 6; n++) await world.api.call("login", { body });

    const login = (...cookies: Pair[]) =>
      client().api.call("login", {
        body: { login: own.username, password: PASSWORD },
        headers: headersOf(...cookies),
      });

    expect((await login(planted.device, own.device)).code).equal("rate_limited");
    expect((await login(planted.device, own.device, own.binding)).status).equal(200);
  });
});
