import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { codeAt } from "../../actors/accounts/two-factor/one-time-codes.ts";
import { startMailSink } from "../../deploy/development/mail/sink.ts";
import { createApi } from "../support/api.ts";
import { createBrowser } from "../support/browser.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import { CheckedSocket } from "../support/frames/checked-socket.ts";
import { givenChannels } from "../support/given-channels.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { tokenIn } from "../support/mailbox.ts";
import { viewRoom } from "../support/room-viewer.ts";
import { serviceHarness } from "../support/service.ts";

const canary = (name: string): string => `${name}-${randomBytes(12).toString("hex")}`;

const PUBLIC_URL = "https://livecore.example";

type Note = (name: string, value: unknown) => string;

/** A newcomer's sign-in by a provider, and one whose code is of no use. */
async function signInByProvider(http: string, at: { people: Map<string, object> }, secret: Note) {
  const browser = createBrowser({ [PUBLIC_URL]: http });
  const somebody = randomBytes(8).toString("hex");
  at.people.set(somebody, { email: `${somebody}@example.org`, email_verified: true });

  async function wayBack(which: string): Promise<string> {
    const page = await browser.sentTo(`${PUBLIC_URL}/v1/auth/oauth/one/start`);
    for (const name of ["state", "nonce"]) secret(`${which} ${name}`, new URL(page).searchParams.get(name));
    const back = await browser.approve(page, somebody);
    secret(`${which} code`, new URL(back).searchParams.get("code"));
    return back;
  }
  async function arrive(url: string) {
    return new URLSearchParams(new URL(await browser.sentTo(url)).hash.slice(1));
  }

  const back = await wayBack("first");
  secret("what binds a browser", browser.cookies(PUBLIC_URL).get("lc_oauth"));
  const completion_token = secret("completion token", (await arrive(back)).get("completion_token"));
  expect((await arrive(back)).get("error")).equal("oauth_failed");
  const statuses: number[] = [];
  for (let n = 0; n < 2; n++) {
    const { status } = await browser.request(`${PUBLIC_URL}/v1/auth/oauth/one`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-service-client": "specs" },
      body: JSON.stringify({ completion_token, username: `o_${somebody}` }),
    });
    statuses.push(status);
  }
  expect(statuses).deep.equal([200, 401]);
  for (const [name, value] of browser.cookies(PUBLIC_URL))
    if (/token|device|binding/.test(name)) secret(`cookie ${name} by a provider`, value.split(".").at(-1));
  // Last: another flow's cookie takes the place of the newcomer's.
  const wrong = new URL(await wayBack("second"));
  wrong.searchParams.set("code", secret("wrong code", canary("code")));
  expect((await arrive(wrong.href)).get("error")).equal("oauth_failed");
}

describe("The log of a whole run", function () {
  this.timeout(150_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  const closing: { close(): unknown }[] = [];
  after(async () => {
    await end();
    await Promise.all(closing.map((one) => one.close()));
  });

  it("holds no secret, at debug too, and no message's text at info", async () => {
    const secrets = new Map<string, string>();
    const secret = (name: string, value: unknown): string => {
      secrets.set(name, String(value));
      return String(value);
    };
    const INGEST_KEYS = secret("system key", randomBytes(32).toString("hex"));
    const MASTER_KEY = secret("master key", randomBytes(32).toString("hex"));
    for (const store of ["MONGODB_URL", "REDIS_URL"]) {
      const { password } = new URL(process.env[store] ?? "");
      if (password) secret(`password in ${store}`, password);
    }
    const message = canary("message");
    const [sink, provider] = [await startMailSink(), await startIdentityProvider("one", PUBLIC_URL)];
    closing.push(sink, provider);
    const client_secret = secret("client secret", provider.clientSecret);
    const providers = [provider.setting(), provider.appSetting()].map((one) => ({
      id: one.id,
      name: one.name,
      issuer: one.issuer,
      client_id: one.clientId,
      client_secret,
      native_redirect_uris: one.nativeRedirectUris,
    }));
    const service = await start({
      LOG_LEVEL: "debug",
      API_WORKERS: "1",
      INGEST_KEYS,
      MASTER_KEY,
      PUBLIC_URL,
      SMTP_URL: sink.url,
      OAUTH_PROVIDERS: JSON.stringify(providers),
    });
    await service.ready();
    const api = createApi(service.http);
    const bearer = api.with({ "x-auth-mode": "bearer" });

    const username = `c_${randomBytes(8).toString("hex")}`;
    const email = `${username}@example.com`;
    const password = secret("password", canary("password"));
    await bearer.ok("register", { body: { username, email, password } });
    const cookies = await api.call("login", { body: { login: username, password } });
    for (const cookie of cookies.headers.getSetCookie()) {
      const [name = "", value = ""] = cookie.split(";")[0]?.split("=") ?? [];
      if (/token|session|device|binding/i.test(name)) secret(`cookie ${name}`, value.split(".").at(-1));
    }
    const session = await bearer.ok("login", { body: { login: username, password } });
    const first = secret("refresh token", session.refresh_token);
    secret("access token", session.access_token);
    secret("device", session.device_id.split(".")[1]);
    const known = { login: username, password, device_id: session.device_id };
    await bearer.ok("login", { body: known });
    const renewed = await bearer.ok("refresh", { body: { refresh_token: first } });
    const token = secret("second access token", renewed.access_token);
    secret("second refresh token", renewed.refresh_token);
    const me = api.as({ token });
    const given = givenChannels({ api, clock: movableClock(), ingestKey: INGEST_KEYS });

    const stream = await me.ok("getMyStream");
    const at = { stream_id: stream.id };
    const key = secret("stream key", stream.stream_key);
    const ticket = async () => secret("ticket", (await me.ok("createWsTicket")).ticket);
    const viewer = viewRoom({ http: service.http, streamId: stream.id, ticket });
    closing.push(viewer.client);
    await eventually(() => viewer.client.isLive);
    await me.ok("sendChatMessage", { params: at, body: { content: message } });
    await viewer.client.say(`${message} by socket`);
    await eventually(() => viewer.texts.length === 2);
    expect((await given.hook("publish", { key })).status).equal(200);
    expect((await given.hook("publish_done", { key })).status).equal(200);
    secret("second stream key", (await me.ok("rotateStreamKey")).stream_key);
    const personal = secret(
      "personal token",
      (await me.ok("createApiToken", { body: { name: "bot" } })).token,
    );
    const byToken = [api.as({ token: personal }), api.with({ "x-api-key": personal })];
    for (const one of byToken) expect((await one.call("createWsTicket")).status).equal(200);
    const mailed = (subject: RegExp) =>
      eventually(
        () => {
          const found = sink.mails().find((mail) => mail.to.includes(email) && subject.test(mail.subject));
          if (!found) throw new Error(`no mail ${subject} came`);
          return secret(`mailed token: ${subject}`, tokenIn(found));
        },
        { withinMs: 15_000 },
      );
    const verification = { token: await mailed(/Verify/) };
    expect((await api.call("verifyEmail", { body: verification })).status).equal(204);
    await api.ok("forgotPassword", { body: { email } });
    const reset = await mailed(/Reset/);
    await signInByProvider(service.http, provider, secret);
    const native = await provider.nativeCode("somebody");
    for (const name of ["code", "code_verifier", "nonce"] as const) secret(`native ${name}`, native[name]);
    const newcomer = await bearer.call("signInWithOauth", { params: { provider: "app" }, body: native });
    expect(newcomer.code).equal("username_required");
    secret("native completion token", newcomer.details.completion_token);
    const setUp = await me.ok("setUpTwoFactor");
    secret("authenticator", setUp.secret);
    const codes = (setUp.recovery_codes ?? []).map((code, n) => secret(`recovery code ${n}`, code));
    await me.ok("verifyTwoFactor", { body: { code: codeAt(setUp.secret, Date.now()) } });
    const half = await bearer.ok("login", { body: { login: username, password } });
    const two_factor_token = secret("two-factor token", half.two_factor_token);
    const whole = await bearer.ok("finishLogin", { body: { two_factor_token, code: codes[0] } });
    secret("third access token", whole.access_token);
    secret("third refresh token", whole.refresh_token);

    // What goes wrong is what gets logged.
    const refused: [expected: number, answer: Promise<{ status: number }>][] = [
      [401, bearer.call("login", { body: { login: username, password: secret("typo", canary("typo")) } })],
      [401, bearer.call("refresh", { body: { refresh_token: secret("no token", canary("none")) } })],
      [400, api.call("login", { body: `{"login": "${username}", "password": "${password}", }` })],
      [
        400,
        api.call("login", { body: { login: username, password: { $ne: secret("nested", canary("n")) } } }),
      ],
      [401, api.as({ token: secret("forged token", canary("forged")) }).call("getMe")],
      [401, bearer.call("finishLogin", { body: { two_factor_token, code: codes[1] } })],
      [401, api.call("verifyEmail", { body: verification })],
      [400, api.call("resetPassword", { body: { token: reset, password: "password123" } })],
      [403, api.as({ token: personal }).call("rotateStreamKey")],
      [401, api.with({ "x-api-key": `${personal.slice(0, -1)}!` }).call("getMe")],
      [404, fetch(`${service.http}/v1/nowhere?token=${personal}&state=${reset}`)],
      [401, me.call("stepUp", { body: { code: secret("wrong recovery code", canary("code")) } })],
      [401, upgradeAt(`${service.http}/v1/ws?ticket=${secret("wrong ticket", canary("wrong"))}`)],
      [404, fetch(`${service.http}/v1/nowhere?token=${secret("token in an address", canary("address"))}`)],
    ];
    for (const [expected, answer] of refused) expect((await answer).status).equal(expected);
    await given.hook("publish", { key });
    await given.hook("publish", { key: secret("unknown stream key", canary("unknown")) });
    service.signal("SIGTERM");
    expect(await service.ended).equal(0);

    const output = service.output();
    expect(output).include('"level":"debug"').include('"process":"api"').include('"process":"realtime"');
    const leaked = [...secrets].filter(([, value]) => output.includes(value)).map(([name]) => name);
    expect(leaked).deep.equal([]);
    const aboveDebug = output.split("\n").filter((line) => !line.includes('"level":"debug"'));
    expect(aboveDebug.filter((line) => line.includes(message))).deep.equal([]);
  });
});

/** How the upgrade at `url` was refused. */
function upgradeAt(url: string): Promise<{ status: number }> {
  return new Promise((resolve) => {
    const socket = new CheckedSocket(url.replace(/^http/, "ws"));
    socket.on("error", () => undefined); // the refusal was reported already
    socket.on("open", () => resolve({ status: 101 }));
    socket.on("unexpected-response", (_request, response) => {
      resolve({ status: response.statusCode ?? 0 });
      response.destroy();
    });
  });
}
