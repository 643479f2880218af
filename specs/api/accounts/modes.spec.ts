import { randomUUID } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { expect } from "chai";
import { OPERATOR } from "../../../base/audit.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { loadConfig } from "../../../deploy/processes/config/config.ts";
import { type CallOptions, createApi, type OperationId } from "../../support/api.ts";
import { openWorld } from "../../support/world.ts";
import { newName, PASSWORD } from "./open-accounts.ts";
import { clientOf, cookiesOf, type Mode, modes, sessionIdOf } from "./session-modes.ts";

type Method = "post" | "put" | "patch" | "delete";
type World = Awaited<ReturnType<typeof openWorld>>;

/** The Set-Cookie lines of a sign-in whose request claims this; fetch would set Host itself. */
async function signInSaying(baseUrl: string, headers: Record<string, string>): Promise<string[]> {
  const { username } = await clientOf(baseUrl, cookieMode()).register();
  const loginRequest = request(`${baseUrl}/v1/auth/login`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
  });
  loginRequest.end(JSON.stringify({ login: username, password: PASSWORD }));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    loginRequest.once("response", resolve).once("error", reject);
  });
  answer.resume();
  return answer.headers["set-cookie"] ?? [];
}

describe("authentication over HTTP", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  for (const mode of modes) {
    describe(`in ${mode.name} mode`, () => {
      const client = () => clientOf(world.baseUrl, mode);

      it("puts tokens where the mode has them, and nowhere else", async () => {
        const { username, answer } = await client().register();
        const login = await client().login(username);
        const refreshed = await client().refresh(login.refresh);

        expect(answer.status).equal(201);
        for (const one of [answer, login.answer, refreshed]) {
          const named = Object.keys(cookiesOf(one)).sort();
          const expected = [
            "lc_access_token",
            "lc_binding",
            "lc_device_id",
            "lc_refresh_token",
            "lc_signed_in",
          ];
          expect(named).deep.equal(mode.name === "cookie" ? expected : []);
          expect(one.body).property("device_id").a("string");
          expect(one.body).include({ requires_2fa: false, two_factor_token: null });
          const has = (name: string) => Object.hasOwn(Object(one.body), name);
          expect([has("access_token"), has("refresh_token")]).deep.equal(
            mode.name === "bearer" ? [true, true] : [false, false],
          );
        }
        shows("default AuthResult.requires_2fa");
        if (mode.name === "bearer") shows("auth.bearer_mode.body", "auth.bearer_mode.no_cookies");
        else {
          shows("auth.cookie_mode.register", "auth.cookie_mode.login", "auth.cookie_mode.refresh");
          shows("absent AuthResult.access_token", "absent AuthResult.refresh_token");
        }
      });

      it("carries a session from register through refresh to logout", async () => {
        const { username, access, refresh, deviceId } = await client().register();
        const next = client().required(await client().refresh(refresh));

        expect(next.deviceId).equal(deviceId);
        shows("auth.device");
        expect(await client().as(access).ok("getMe")).include({ username });
        expect(await client().as(next.access).ok("getMe")).include({ username });

        expect((await client().as(next.access).call("logout")).status).equal(204);
        expect((await client().as(next.access).call("getMe")).code).equal("invalid_token");
        expect((await client().refresh(next.refresh)).code).equal("invalid_token");
      });

      it("gives socket tickets that name the session", async () => {
        const { username, access, deviceId } = await client().register();

        const { ticket, expires_in } = await client().as(access).ok("createWsTicket");

        const holder = await world.core.tokens.redeemTicket(ticket);
        expect(expires_in).equal(30);
        expect(holder).include({
          username,
          sessionId: sessionIdOf({ deviceId }),
          viaCookie: mode.name === "cookie",
        });
      });

      it("refuses to refresh without a token", async () => {
        expect((await client().api.call("refresh")).code).equal("auth_required");
      });
    });
  }

  it("deletes the cookies of a session that ended elsewhere, with the refusal to refresh it", async () => {
    const client = clientOf(world.baseUrl, cookieMode());
    const { username, refresh } = await client.register();
    const other = await client.login(username);
    await client.as(other.access).ok("endSessions");

    const several = await client.refresh(`${refresh}; lc_refresh_token=${other.refresh}`);
    const refused = await client.refresh(refresh);

    expect([refused.code, several.code]).deep.equal(["invalid_token", "invalid_token"]);
    const cookies = Object.entries(cookiesOf(refused));
    expect(cookies.map(([name]) => name).sort()).deep.equal([
      "lc_access_token",
      "lc_binding",
      "lc_refresh_token",
      "lc_signed_in",
    ]);
    for (const [, { value, attributes }] of cookies)
      expect({ value, age: attributes["max-age"] }).deep.equal({ value: "", age: "0" });
    expect(cookiesOf(several), "of several, one may go on").deep.equal({});
  });

  it("sets the cookies with the attributes that the contract gives them", async () => {
    const { answer } = await clientOf(world.baseUrl, cookieMode()).register();

    const cookies = cookiesOf(answer);
    const { cookieDomain } = world.config.http;
    const domain = cookieDomain === null ? {} : { domain: cookieDomain };
    const without = ({ attributes }: { attributes: Record<string, string> }) => {
      const { expires: _, "max-age": __, ...rest } = attributes;
      return rest;
    };
    const [access, refresh, device] = ["lc_access_token", "lc_refresh_token", "lc_device_id"].map(
      (name) => cookies[name] ?? { value: "", attributes: {} },
    );
    expect(access && without(access)).deep.equal({
      path: "/",
      httponly: "",
      samesite: "Lax",
      ...domain,
    });
    expect(device && without(device)).deep.equal(access && without(access));
    expect(refresh && without(refresh)).deep.equal({
      path: "/v1/auth",
      httponly: "",
      samesite: "Strict",
    });
    shows("auth.cookie.attributes");
    expect(Number(access?.attributes["max-age"])).equal(900);
    expect(Number(refresh?.attributes["max-age"])).within(30 * 86_400 - 60, 30 * 86_400);
    expect(Number(device?.attributes["max-age"])).within(120 * 86_400 - 60, 120 * 86_400);
  });

  it("marks the session for scripts, with the same marker after a refresh, for as long as the refresh cookie lasts", async () => {
    const { username, refresh, answer } = await clientOf(world.baseUrl, cookieMode()).register();
    const refreshed = cookiesOf(await clientOf(world.baseUrl, cookieMode()).refresh(refresh));
    const next = cookiesOf((await clientOf(world.baseUrl, cookieMode()).login(username)).answer);

    const marker = cookiesOf(answer).lc_signed_in?.value;
    expect(marker).match(/^[\w-]{16}$/);
    expect(refreshed.lc_signed_in?.value).equal(marker);
    expect(next.lc_signed_in?.value)
      .match(/^[\w-]{16}$/)
      .and.not.equal(marker);
    for (const { lc_signed_in: hint, lc_refresh_token: token } of [cookiesOf(answer), refreshed]) {
      const { expires: _, "max-age": seconds, ...attributes } = hint?.attributes ?? {};
      expect(attributes).deep.equal({ path: "/", samesite: "Lax" });
      expect(seconds).equal(token?.attributes["max-age"]);
    }
  });

  it("takes the hint for nothing", async () => {
    const by = (cookie: string) => createApi(world.baseUrl, { cookie, "x-service-client": "specs" });

    expect((await by("lc_signed_in=1").call("getMe")).code).equal("auth_required");
    expect((await by("lc_signed_in=1").call("refresh")).code).equal("auth_required");
  });

  for (const [host, proto, isSecure] of [
    ["localhost:8080", null, false],
    ["LOCALHOST", null, false],
    ["127.0.0.1", null, false],
    ["[::1]:8080", null, false],
    ["live.example.com", null, true],
    ["localhost.example.com", null, true],
    ["127.0.0.1.example.com", null, true],
    ["192.168.1.7:8080", null, true],
    ["localhost:8080", "https", true],
    ["localhost:8080", "http", false],
    ["localhost:8080", "http, https", true],
  ] as const) {
    const how = `${proto === null ? "" : `${proto} by a proxy `}at ${host}`;
    it(`${isSecure ? "marks all cookies Secure" : "leaves Secure out"} ${how}`, async () => {
      const lines = await signInSaying(world.baseUrl, {
        host,
        ...(proto === null ? {} : { "x-forwarded-proto": proto }),
      });

      expect(lines.map((line) => /; Secure\b/.test(line))).deep.equal([
        isSecure,
        isSecure,
        isSecure,
        isSecure,
        isSecure,
      ]);
    });
  }

  it("takes the token cookies away at logout", async () => {
    const client = clientOf(world.baseUrl, cookieMode());
    const { access } = await client.register();

    const cookies = cookiesOf(await client.as(access).call("logout"));

    expect(Object.keys(cookies).sort()).deep.equal([
      "lc_access_token",
      "lc_binding",
      "lc_refresh_token",
      "lc_signed_in",
    ]);
    for (const { value, attributes } of Object.values(cookies)) {
      expect([value, attributes["max-age"]]).deep.equal(["", "0"]);
    }
  });

  const somebody = { params: { user_id: randomUUID() } };
  const stateChanging: { operation: OperationId; by: Method; options?: CallOptions }[] = [
    { operation: "logout", by: "post" },
    { operation: "createWsTicket", by: "post" },
    { operation: "updateMe", by: "patch", options: { body: { bio: "changed by another site" } } },
    { operation: "followUser", by: "put", options: somebody },
    { operation: "unfollowUser", by: "delete", options: somebody },
    { operation: "endSessions", by: "delete" },
    { operation: "refresh", by: "post" },
  ];
  for (const { operation, by, options = {} } of stateChanging) {
    it(`refuses ${operation} by cookie without X-Service-Client, and nothing happens`, async () => {
      const { access, refresh } = await clientOf(world.baseUrl, cookieMode()).register();
      const cookie = `lc_access_token=${access}; lc_refresh_token=${refresh}`;
      for (const headers of [{ cookie }, { cookie, "x-service-client": "  " }]) {
        const answer = await createApi(world.baseUrl, headers).call(operation, options);
        expect([answer.status, answer.code]).deep.equal([403, "client_header_required"]);
      }

      const me = await createApi(world.baseUrl, { cookie }).ok("getMe");
      expect(me.bio).equal(null);
      const again = await clientOf(world.baseUrl, cookieMode()).refresh(refresh);
      expect(again.status).equal(200);
      shows(`auth.client_header.${by}`);
    });
  }

  it("lets register and login pass without X-Service-Client", async () => {
    const username = newName();
    const api = createApi(world.baseUrl);
    const account = { username, email: `${username}@example.org`, password: PASSWORD };

    expect((await api.call("register", { body: account })).status).equal(201);
    expect((await api.call("login", { body: { login: username, password: PASSWORD } })).status).equal(200);
  });

  it("believes the bearer token when both are sent, also a bad one", async () => {
    const client = clientOf(world.baseUrl, cookieMode());
    const [first, second] = [await client.register(), await client.register()];
    const cookie = `lc_access_token=${first.access}`;

    const both = createApi(world.baseUrl, { cookie, authorization: `Bearer ${second.access}` });
    const bad = createApi(world.baseUrl, { cookie, authorization: "Bearer nonsense" });

    expect(await both.ok("getMe")).include({ username: second.username });
    expect((await bad.call("getMe")).code).equal("invalid_token");
  });

  it("doesn't take a refresh token from where the other mode has it", async () => {
    const bearer = await clientOf(world.baseUrl, bearerMode()).register();
    const inCookie = createApi(world.baseUrl, {
      "x-auth-mode": "bearer",
      cookie: `lc_refresh_token=${bearer.refresh}`,
    });
    const inBody = createApi(world.baseUrl, { "x-service-client": "specs" });

    expect((await inCookie.call("refresh")).code).equal("auth_required");
    expect((await inBody.call("refresh", { body: { refresh_token: bearer.refresh } })).code).equal(
      "auth_required",
    );
  });

  it("answers a wrong password and an unknown name with the same bytes", async () => {
    const { username } = await clientOf(world.baseUrl, bearerMode()).register();
    const api = createApi(world.baseUrl);
    const attempt = (login: string) => api.call("login", { body: { login, password: "not the password" } });

    const [wrong, unknown] = [await attempt(username), await attempt(newName())];

    expect([wrong.status, wrong.code]).deep.equal([401, "invalid_credentials"]);
    expect(unknown.body).deep.equal(wrong.body);
  });

  for (const mode of modes) {
    it(`lets a known device in ${mode.name} mode sign in while others guess, and only there`, async () => {
      const client = clientOf(world.baseUrl, mode);
      const { username, deviceId } = await client.register();
      const body = { login: username, password: "not the password" };
      for (let i = 0; i < 6; i++) await client.api.call("login", { body });
      const right = { login: username, password: PASSWORD };
      const inBody = () => client.api.call("login", { body: { ...right, device_id: deviceId } });
      const inCookie = () =>
        client.api.call("login", { body: right, headers: { cookie: `lc_device_id=${deviceId}` } });

      const [here, elsewhere] = mode.name === "bearer" ? [inBody, inCookie] : [inCookie, inBody];

      expect((await elsewhere()).code).equal("rate_limited");
      expect((await here()).status).equal(200);
      expect((await client.api.call("login", { body: { ...right, device_id: "x".repeat(129) } })).code).equal(
        "validation_failed",
      );
    });
  }

  it("says when to try again once an account's attempts are used up", async () => {
    const { username } = await clientOf(world.baseUrl, bearerMode()).register();
    const api = createApi(world.baseUrl);
    const attempt = () => api.call("login", { body: { login: username, password: "not the password" } });
    for (let i = 0; i < 5; i++) await attempt();

    const refused = await attempt();

    expect([refused.status, refused.code]).deep.equal([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).within(1, 60);
  });

  it("refuses a banned user's login, tokens and refresh with account_banned", async () => {
    const client = clientOf(world.baseUrl, bearerMode());
    const { username, access, refresh } = await client.register();
    const { id } = await client.as(access).ok("getMe");
    await world.core.accountBans.ban(id, OPERATOR);

    const login = await client.api.call("login", { body: { login: username, password: PASSWORD } });

    expect([login.status, login.code]).deep.equal([403, "account_banned"]);
    expect((await client.refresh(refresh)).code).equal("account_banned");
  });

  it("deletes the cookies of a user who was banned", async () => {
    const client = clientOf(world.baseUrl, cookieMode());
    const { access, refresh } = await client.register();
    const { id } = await client.as(access).ok("getMe");
    await world.core.accountBans.ban(id, OPERATOR);
    const refused = await client.refresh(refresh);
    expect(refused.code).equal("account_banned");
    expect(Object.keys(cookiesOf(refused))).include("lc_access_token");
  });
});

describe("session cookies in production", () => {
  let world: World;
  before(async () => {
    const secret = (n: number) => `${n}f8c1d3a97b5e60241`.repeat(4);
    const { http } = loadConfig({
      NODE_ENV: "production",
      PUBLIC_URL: "https://live.example",
      SMTP_URL: "smtps://smtp.example",
      MAIL_FROM: "no-reply@live.example",
      FILES_DIR: "/srv/livecore/files",
      MONGODB_URL: "mongodb://m.example/",
      REDIS_URL: "redis://r.example",
      INGEST_KEYS: secret(1),
      MASTER_KEY: secret(3),
      EDGE_KEYS: secret(4),
    });
    world = await openWorld({ plainCookiesHere: http.plainCookiesHere });
  });
  after(() => world.close());

  it("are Secure whatever a request says of itself: its proxy may send the upstream's name, and no more", async () => {
    for (const host of ["localhost:8080", "127.0.0.1", "[::1]:8080", "live.example.com"]) {
      for (const forwarded of [{}, { "x-forwarded-proto": "http" }]) {
        const lines = await signInSaying(world.baseUrl, { host, ...forwarded });

        expect(lines.map((line) => /; Secure\b/.test(line))).deep.equal([true, true, true, true, true]);
        shows("auth.cookie.secure");
      }
    }
  });
});

function modeOf(name: Mode["name"]): Mode {
  const mode = modes.find((one) => one.name === name);
  if (!mode) throw new Error(`There is no mode ${name}`);
  return mode;
}
const cookieMode = () => modeOf("cookie");
const bearerMode = () => modeOf("bearer");
