import { expect } from "chai";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const document = readOpenApi();

/** What the page's "Try it out" needs; a browser sends its requests as fetch does here, with cookies of the same origin. */
describe("the page of the REST interface", () => {
  const { world } = setUpWorld({ stores: openOwnStores });

  const get = (path: string) => fetch(new URL(path, world.baseUrl));
  const send = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    fetch(world.baseUrl + path, {
      method,
      headers: { origin: world.baseUrl, "content-type": "application/json", ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const example = (operationId: string): object => {
    const found = operationsOf(document).find(({ operation }) => operation.operationId === operationId);
    return Object(found?.operation.requestBody?.content["application/json"]?.example);
  };

  it("runs its own scripts, and may ask this service alone", async () => {
    const page = await get("/docs/");
    const html = await page.text();
    const policy = page.headers.get("content-security-policy") ?? "";
    const directives = new Map(policy.split(";").map((one) => [one.trim().split(" ")[0], one.trim()]));
    const scripts = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)];
    const addresses = scripts.map(
      ([, attributes = ""]) => /src="(\/[^"]+)"/.exec(attributes)?.[1] ?? "inline",
    );
    const sources = await Promise.all(addresses.map(async (address) => (await get(address)).text()));
    const [, documentAt = ""] = /fetch\(base \+ "([^"]+)"\)/.exec(sources.join("\n")) ?? [];

    expect(addresses).deep.equal([
      "/docs/assets/swagger-ui-bundle.js",
      "/docs/start.js",
      "/docs/contents.js",
    ]);
    expect(directives.get("default-src")).equal("default-src 'self'");
    for (const name of ["script-src", "connect-src"]) expect(directives.has(name), name).equal(false);
    expect(documentAt).equal("/v1/openapi.json");
    expect(await (await get(documentAt)).json()).deep.equal(document);
  });

  it("sends requests to where it came from", () => {
    expect(document.servers).deep.equal([{ url: "/" }]);
  });

  it("has a lock at each operation that wants credentials, with the schemes that are taken", () => {
    for (const { operation } of operationsOf(document)) {
      const { who, query_key: byQuery, token_only, overlay } = operation["x-access"];
      const byTokenAlone = token_only || overlay === "only";
      const schemes = operation.security.flatMap((one) => Object.keys(one));
      const tokens = operation["x-scopes"]?.length ? ["personalToken", "apiKey"] : [];
      const expected = {
        anonymous: [],
        optional: ["bearerAuth", "cookieAuth", ...tokens],
        session: [
          ...(byTokenAlone ? [] : ["bearerAuth", "cookieAuth"]),
          ...(overlay ? ["overlayToken"] : []),
          ...tokens,
        ],
        staff: ["bearerAuth", "cookieAuth"],
        refresh: ["refreshCookie"],
        system: ["systemKey", ...(byQuery ? ["systemKeyQuery"] : [])],
      }[who];
      expect(schemes, operation.operationId).deep.equal(expected);
      expect(Object.keys(document.components.securitySchemes)).include.members(schemes);
      const isOptional = operation.security.some((one) => Object.keys(one).length === 0);
      expect(isOptional || operation.security.length === 0).equal(
        !["session", "staff", "system"].includes(who),
      );
    }
  });

  it("can be tried in cookie mode", async () => {
    const { ServiceClient } = document.components.parameters;
    const signedIn = await send(
      "POST",
      "/v1/auth/register",
      { "X-Auth-Mode": "cookie" },
      example("register"),
    );
    const cookie = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const asShown = { "X-Service-Client": String(ServiceClient?.example) };

    expect(signedIn.status).equal(201);
    // By plain http a browser would not send it back otherwise.
    expect(signedIn.headers.getSetCookie().join()).not.include("Secure");
    expect((await send("GET", "/v1/users/me", { cookie })).status).equal(200);
    expect((await send("PATCH", "/v1/users/me", { cookie, ...asShown }, example("updateMe"))).status).equal(
      200,
    );
    expect((await send("PATCH", "/v1/users/me", { cookie }, example("updateMe"))).status).equal(403);
  });

  it("can be tried in bearer mode", async () => {
    const signedIn = await send("POST", "/v1/auth/login", { "X-Auth-Mode": "bearer" }, example("login"));
    const token = Object(await signedIn.json()).access_token;
    const authorization = `Bearer ${token}`;

    expect(document.components.securitySchemes.bearerAuth).include({ type: "http", scheme: "bearer" });
    expect((await send("PATCH", "/v1/users/me", { authorization }, example("updateMe"))).status).equal(200);
  });
});
