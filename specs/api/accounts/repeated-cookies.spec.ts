import { expect } from "chai";
import { setUpWorld } from "../../support/set-up-world.ts";
import { PASSWORD } from "./open-accounts.ts";
import { clientOf, modes } from "./session-modes.ts";

const DOMAIN = "live.example";
const BROWSER = { "sec-fetch-site": "same-site", "x-service-client": "specs" };

describe("repeated session cookies of a service with a domain", () => {
  const { world } = setUpWorld({ cookieDomain: DOMAIN });

  function client() {
    const mode = modes.find(({ name }) => name === "cookie");
    if (!mode) throw new Error("There is no cookie mode");
    return clientOf(world.baseUrl, mode);
  }
  const browser = (...pairs: string[]) => world.api.with({ ...BROWSER, cookie: pairs.join("; ") });

  /** The places in which an answer expires a cookie, as "domain path". */
  const expiredIn = (headers: Headers, name: string): string[] =>
    headers.getSetCookie().flatMap((line) => {
      if (!line.startsWith(`${name}=; Max-Age=0;`)) return [];
      const domain = /Domain=([^;]+)/.exec(line)?.[1] ?? "host";
      return [`${domain} ${/Path=([^;]+)/.exec(line)?.[1]}`];
    });

  it("takes a lone access cookie and a lone refresh cookie, also from browsers", async () => {
    const { username, access, refresh } = await client().register();

    expect(await browser(`lc_access_token=${access}`).ok("getMe")).include({ username });
    expect((await browser(`lc_refresh_token=${refresh}`).call("refresh")).status).equal(200);
  });

  it("refuses two access cookies, and expires them wherever they may have been set", async () => {
    const [own, planted] = [await client().register(), await client().register()];

    const answer = await browser(
      `lc_access_token=${planted.access}`,
      `lc_access_token=${own.access}`,
      `lc_device_id=${own.deviceId}`,
    ).call("getMe");

    expect([answer.status, answer.code]).deep.equal([401, "invalid_token"]);
    const paths = ["/", "/v1", "/v1/", "/v1/users", "/v1/users/", "/v1/users/me", "/v1/users/me/"];
    expect(expiredIn(answer.headers, "lc_access_token").sort()).deep.equal(
      paths.flatMap((path) => [`host ${path}`, `${DOMAIN} ${path}`]).sort(),
    );
    expect(expiredIn(answer.headers, "lc_device_id")).deep.equal([]);
  });

  it("refuses two access cookies at a path that no cookie can have", async () => {
    const answer = await fetch(`${world.baseUrl}/v1/users/a;b<`, {
      headers: { cookie: "lc_access_token=a; lc_access_token=b" },
    });

    expect(answer.status).equal(401);
    expect(expiredIn(answer.headers, "lc_access_token")).include.members(["host /v1", `${DOMAIN} /v1/users`]);
  });

  it("refuses two refresh cookies, and expires them but for its own host's", async () => {
    const [own, planted] = [await client().register(), await client().register()];

    const answer = await browser(
      `lc_refresh_token=${planted.refresh}`,
      `lc_refresh_token=${own.refresh}`,
    ).call("refresh");

    expect([answer.status, answer.code]).deep.equal([401, "invalid_token"]);
    const places = expiredIn(answer.headers, "lc_refresh_token");
    expect(places).include.members([
      "host /",
      `${DOMAIN} /`,
      "host /v1",
      `${DOMAIN} /v1`,
      `${DOMAIN} /v1/auth`,
    ]);
    expect(places).not.include("host /v1/auth");
    expect((await client().refresh(own.refresh)).status).equal(200);
  });

  it("knows no device by two device cookies", async () => {
    const own = await client().register();
    const planted = await client().register();
    const body = { login: own.username, password: "not the password" };
    for (let n = 0; n < 6; n++) await world.api.call("login", { body });
    const login = (...pairs: string[]) =>
      browser(...pairs).call("login", { body: { login: own.username, password: PASSWORD } });

    const [one, two] = [`lc_device_id=${own.deviceId}`, `lc_device_id=${planted.deviceId}`];
    expect((await login(two, one)).code).equal("rate_limited");
    expect((await login(one, two)).code).equal("rate_limited");
    expect((await login(one)).status).equal(200);
  });

  it("expires no cookie in other answers", async () => {
    const { access } = await client().register();

    const lone = await browser(`lc_access_token=${access}x`).call("getMe");

    expect(lone.code).equal("invalid_token");
    expect(lone.headers.getSetCookie()).deep.equal([]);
  });
});
