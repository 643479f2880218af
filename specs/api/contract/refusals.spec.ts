import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { MongoNetworkError, MongoServerSelectionError } from "mongodb";
import { readAsyncApi } from "../../../contract/asyncapi-document.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { eventually } from "../../support/eventually.ts";
import { type OpenedApp, openApp, SYSTEM_KEY } from "./open-app.ts";

const ORIGIN = "https://live.example.com";
const room = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";

describe("the HTTP layer", () => {
  let app: OpenedApp;
  let failure: () => unknown;

  before(async () => {
    failure = () => new Error("a secret detail");
    app = await openApp(
      ({ bind }) => {
        bind("getHealth", () => ({ status: "ok" }));
        bind("getLiveness", () => ({ status: "ok" }));
        bind("getServing", () => ({ status: "ok" }));
        bind("getRestServing", () => ({ status: "ok" }));
        bind("getSocketsServing", () => {
          throw unavailable();
        });
        bind("getStream", () => {
          throw failure();
        });
        bind("clearChat", () => ({ success: true }));
        bind("logout", () => undefined);
        bind("banUser", ({ body }) => ({ success: body === undefined }));
        bind("login", () => {
          throw new ServiceError("invalid_credentials");
        });
        bind("setSeoTags", ({ body }) => body);
        bind("createClip", () => {
          throw new ServiceError("no_broadcast");
        });
        bind("getMe", () => {
          throw unavailable();
        });
        bind("rotateStreamKey", () => {
          throw unavailable();
        });
        bind("getViewerCount", () => ({ viewer_count: 1, secret: "leaks" }));
        bind("getPrediction", () => {
          throw new ServiceError("username_taken");
        });
        bind("ingestPublish", ({ body }) => ({ accepted: body.name === "first" }));
        bind("getPublicProfile", () => {
          throw new ServiceError("not_found");
        });
      },
      { allowedOrigins: [ORIGIN], bodyDeadlineMs: 500 },
    );
  });

  after(() => app.close());

  const call = (path: string, init: RequestInit = {}) =>
    fetch(app.baseUrl + path, { redirect: "manual", ...init });
  const bearer = () => ({ authorization: `Bearer ${app.newToken()}` });
  const codeOf = async (answer: Response): Promise<unknown> => Object(await answer.json()).code;

  /** What comes back for these bytes until the server ends the connection. */
  async function rawAnswer(request: string): Promise<string> {
    const { hostname, port } = new URL(app.baseUrl);
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
    socket.write(request);
    await once(socket, "close");
    return Buffer.concat(chunks).toString();
  }

  describe("paths and methods", () => {
    it("answers 404 with the envelope for a path that there isn't", async () => {
      const answer = await call("/v1/nothing/here");

      expect(answer.status).equal(404);
      expect(await answer.json()).deep.equal({
        code: "not_found",
        message: "This path doesn't exist.",
        details: { missing: "path" },
      });
      shows("answers.envelope");
    });

    it("answers 405 and names the methods of the path", async () => {
      const answer = await call("/v1/users/me", { method: "POST", headers: bearer() });

      expect([answer.status, await codeOf(answer)]).deep.equal([405, "method_not_allowed"]);
      expect(answer.headers.get("allow")).equal("GET, PATCH, DELETE, HEAD, OPTIONS");
    });

    it("prefers a fixed path to a parameter", async () => {
      const answer = await call("/v1/streams/me", { method: "DELETE" });

      expect(answer.headers.get("allow")).equal("GET, PATCH, HEAD, OPTIONS");
    });

    it("answers HEAD as GET, without the body", async () => {
      const answer = await call("/healthz", { method: "HEAD" });

      expect([answer.status, await answer.text()]).deep.equal([200, ""]);
    });

    it("answers 400 for an address that can't be decoded", async () => {
      const answer = await call("/v1/users/%ff");

      expect([answer.status, await codeOf(answer)]).deep.equal([400, "validation_failed"]);
    });

    it("answers what isn't HTTP with the envelope", async () => {
      const text = await rawAnswer("what is this?\r\n\r\n");

      expect(text).match(/^HTTP\/1.1 400 /);
      expect(JSON.parse(text.slice(text.indexOf("{")))).property("code", "validation_failed");
    });
  });

  describe("bodies", () => {
    const ban = (body: string, headers: Record<string, string> = {}) =>
      call(`/v1/chat/${room}/bans/${room}`, {
        method: "PUT",
        body,
        headers: { ...bearer(), "content-type": "application/json", ...headers },
      });

    it("are refused past 64 KiB", async () => {
      const answer = await ban(JSON.stringify({ reason: "x".repeat(65 * 1024) }));

      expect([answer.status, await codeOf(answer)]).deep.equal([413, "payload_too_large"]);
    });

    it("are refused past 64 KiB when their length isn't announced", async () => {
      const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
      const text = await rawAnswer(
        [
          `PUT /v1/chat/${room}/bans/${room} HTTP/1.1`,
          "Host: localhost",
          `Authorization: Bearer ${app.newToken()}`,
          "Content-Type: application/json",
          "Transfer-Encoding: chunked",
          "",
          chunk.repeat(5),
        ].join("\r\n"),
      );

      expect(text).match(/^HTTP\/1.1 413 /);
    });

    it("are refused when they aren't there in time, and the connection ends", async () => {
      const head = [
        `PUT /v1/chat/${room}/bans/${room} HTTP/1.1`,
        "Host: localhost",
        `Authorization: Bearer ${app.newToken()}`,
        "Content-Type: application/json",
        "Content-Length: 100",
      ];
      const text = await rawAnswer([...head, "", '{"reason":'].join("\r\n"));

      expect(text)
        .match(/^HTTP\/1.1 400 /)
        .match(/\r\nConnection: close\r\n/i);
      expect(JSON.parse(text.slice(text.indexOf("{")))).property("code", "validation_failed");
    });

    it("are refused in another media type", async () => {
      for (const type of [
        "constructor",
        "__proto__",
        "toString",
        "text/plain",
        "application/xml",
        "application/json; charset=latin1",
        "json",
      ]) {
        const answer = await ban("{}", { "content-type": type });
        expect([type, answer.status, await codeOf(answer)]).deep.equal([type, 415, "unsupported_media_type"]);
      }
    });

    it("are refused compressed", async () => {
      expect((await ban("{}", { "content-encoding": "gzip" })).status).equal(415);
    });

    it("may be left out where they are optional", async () => {
      const answer = await call(`/v1/chat/${room}/bans/${room}`, { method: "PUT", headers: bearer() });

      expect(await answer.json()).deep.equal({ success: true });
    });

    it("of a form give the first of a repeated field", async () => {
      const answer = await call("/v1/webhooks/ingest/publish", {
        method: "POST",
        headers: { "x-system-key": SYSTEM_KEY, "content-type": "application/x-www-form-urlencoded" },
        body: "call=publish&addr=127.0.0.1&name=first&clientid=1&name=forged&__proto__=x&other=1",
      });

      expect(await answer.json()).deep.equal({ accepted: true });
    });
  });

  describe("callers", () => {
    const clear = (headers: Record<string, string>) =>
      call(`/v1/chat/${room}/clear`, { method: "POST", headers });

    it("are required to sign in", async () => {
      const answer = await clear({});

      expect([answer.status, await codeOf(answer)]).deep.equal([401, "auth_required"]);
    });

    it("are refused with a bad token, also where signing in is optional", async () => {
      const answer = await call(`/v1/streams/${room}`, { headers: { authorization: "Bearer forged" } });

      expect([answer.status, await codeOf(answer)]).deep.equal([401, "invalid_token"]);
    });

    it("by cookie need X-Service-Client to change something", async () => {
      const cookie = `lc_access_token=${app.newToken()}`;

      const without = await clear({ cookie });
      const blank = await clear({ cookie, "x-service-client": "  " });
      const withIt = await clear({ cookie, "x-service-client": "web" });

      expect([without.status, await codeOf(without)]).deep.equal([403, "client_header_required"]);
      expect(blank.status).equal(403);
      expect(withIt.status).equal(200);
    });

    it("by bearer don't", async () => {
      expect((await clear(bearer())).status).equal(200);
    });

    it("with both are who the bearer says", async () => {
      const cookie = `lc_access_token=${app.newToken()}`;

      expect((await clear({ cookie, authorization: "Bearer forged" })).status).equal(401);
      expect((await clear({ cookie, ...bearer() })).status).equal(200);
    });

    it("may send the system key by query on ingest paths alone, and it reaches no log", async () => {
      const form = { "content-type": "application/x-www-form-urlencoded" };
      const key = encodeURIComponent(SYSTEM_KEY);

      const hook = await call(`/v1/webhooks/ingest/publish?system_key=${key}`, {
        method: "POST",
        headers: form,
        body: "call=publish&addr=127.0.0.1&name=first&clientid=1",
      });
      const elsewhere = await call(`/v1/users/somebody?system_key=${key}`);

      expect(hook.status).equal(200);
      expect(elsewhere.status).equal(400);
      expect(JSON.stringify(app.lines)).not.include(SYSTEM_KEY).and.not.include(key);
    });

    it("with a wrong system key are refused", async () => {
      const answer = await call("/v1/webhooks/ingest/publish", {
        method: "POST",
        headers: { "x-system-key": "guess", "content-type": "application/x-www-form-urlencoded" },
        body: "call=publish&addr=127.0.0.1&name=first&clientid=1",
      });

      expect([answer.status, await codeOf(answer)]).deep.equal([401, "system_key_required"]);
    });
  });

  describe("errors", () => {
    const failingWith = async (err: unknown) => {
      failure = () => err;
      return call(`/v1/streams/${room}`);
    };

    it("that nobody foresaw are answered without a word of what happened", async () => {
      const answer = await failingWith(new Error("a secret detail"));

      expect(answer.status).equal(500);
      expect(await answer.json()).deep.equal({
        code: "internal",
        message: "Something went wrong on our side. Try again in a moment.",
      });
    });

    for (const [what, err] of Object.entries({
      "no MongoDB to ask": new MongoServerSelectionError("none", Object(null)),
      "a lost MongoDB connection": new MongoNetworkError("lost"),
      "no Redis to ask": new Error("connect ECONNREFUSED 127.0.0.1:6379"),
    })) {
      it(`from ${what} are 503 with Retry-After`, async () => {
        const answer = await failingWith(err);

        expect([answer.status, await codeOf(answer)]).deep.equal([503, "unavailable"]);
        expect(Number(answer.headers.get("retry-after"))).at.least(1);
      });
    }

    it("of ours that nothing says more of are 503 for a second, with their cause in the log alone", async () => {
      const cause = new Error("what happened");
      const answer = await failingWith(unavailable({ cause }));

      expect([answer.status, answer.headers.get("retry-after")]).deep.equal([503, "1"]);
      expect(Object(await answer.json()).details).deep.equal({ retry_after_ms: 1_000 });
      const logged = app.lines.findLast(({ message }) => message.includes("is unavailable"));
      expect(Object(logged?.fields).err).property("cause").equal(cause);
    });

    it("that ask to wait say how long in whole seconds", async () => {
      const answer = await failingWith(
        new ServiceError("rate_limited", { bucket: "b", retry_after_ms: 1_001 }),
      );

      expect([answer.status, answer.headers.get("retry-after")]).deep.equal([429, "2"]);
    });

    it("and answers that the document doesn't know are found in specs", async () => {
      const extraField = await call(`/v1/streams/${room}/viewers`);
      const strangeCode = await call(`/v1/predictions/${room}`);

      expect(extraField.status).equal(500);
      expect(strangeCode.status).equal(500);
    });
  });

  describe("headers", () => {
    it("name the request, by the caller's own id when it is harmless", async () => {
      const own = await call("/healthz", { headers: { "x-request-id": "abcdefgh-1" } });
      const forged = await call("/healthz", { headers: { "x-request-id": "a b" } });

      expect(own.headers.get("x-request-id")).equal("abcdefgh-1");
      expect(forged.headers.get("x-request-id")).match(/^[0-9a-f-]{36}$/);
    });

    it("let the front ends of the list in, and nobody else", async () => {
      const known = await call("/healthz", { headers: { origin: ORIGIN } });
      const unknown = await call("/healthz", { headers: { origin: "https://live.example.com.evil.org" } });

      expect(known.headers.get("access-control-allow-origin")).equal(ORIGIN);
      expect(known.headers.get("access-control-allow-credentials")).equal("true");
      expect(unknown.headers.get("access-control-allow-origin")).equal(null);
      expect(unknown.headers.get("vary")).include("Origin");
    });

    it("keep the request's own id out when it isn't short and plain", async () => {
      for (const id of ["a".repeat(65), "abcdefg", "abcdefgh;1", "<script>alert", "abcdefgh.1"]) {
        const answer = await call("/healthz", { headers: { "x-request-id": id } });
        expect(answer.headers.get("x-request-id"), id).match(/^[0-9a-f-]{36}$/);
      }
    });

    it("let nobody keep what is meant for one caller, nor an answer to a change", async () => {
      const streamAt = `/v1/streams/${room}`;
      failure = () => new ServiceError("not_found");
      const kept = async (path: string, init: RequestInit = {}) =>
        (await call(path, init)).headers.get("cache-control");
      const json = { "content-type": "application/json" };
      const body = JSON.stringify({ login: "somebody", password: "wrong" });

      expect(await kept("/v1/users/me", { headers: bearer() })).equal("no-store");
      expect(await kept("/v1/users/me")).equal("no-store");
      expect(await kept("/v1/streams/me/key", { method: "POST", headers: bearer() })).equal("no-store");
      expect(await kept("/v1/auth/login", { method: "POST", headers: json, body })).equal("no-store");
      expect(await kept(streamAt, { headers: bearer() })).equal("no-store");
      expect(await kept(streamAt, { headers: { authorization: "Bearer forged" } })).equal("no-store");
      expect(await kept(streamAt)).equal("no-store");
      expect(await kept("/healthz")).equal("no-store");
      expect(await kept(`/v1/chat/${room}`)).equal("no-store");
      expect(await kept("/v1/nothing")).equal("no-store");
    });

    it("answer a preflight", async () => {
      const answer = await call("/v1/users/me", {
        method: "OPTIONS",
        headers: { origin: ORIGIN, "access-control-request-method": "PATCH" },
      });

      expect(answer.status).equal(204);
      expect(answer.headers.get("access-control-allow-headers")).include("X-Service-Client");
    });

    it("carry no entity tag, so that no 304 is answered", async () => {
      const answer = await call("/healthz");

      expect(answer.headers.get("etag")).equal(null);
      expect(answer.headers.get("x-powered-by")).equal(null);
      expect(answer.headers.get("x-content-type-options")).equal("nosniff");
    });
  });

  describe("the log", () => {
    const answeredLines = (operation: string) =>
      app.lines
        .filter(({ message }) => message === "request answered")
        .map(({ fields }) => JSON.stringify(fields))
        .filter((line) => line.includes(`"${operation}"`));

    it("has a line of each request, but none of a probe that is answered with 200", async () => {
      const probes = ["getHealth", "getLiveness", "getServing", "getRestServing"];
      for (const path of ["/healthz", "/livez", "/servez", "/servez/rest"]) await call(path);
      await call("/v1/users/somebody");
      await eventually(() => answeredLines("getPublicProfile").length > 0);

      for (const probe of probes) expect(answeredLines(probe)).deep.equal([]);
      expect(app.answered.map(({ operationId }) => operationId)).include.members(probes);
    });

    it("has no warning of a probe that is answered with 503", async () => {
      await call("/servez/sockets");
      await eventually(() => answeredLines("getSocketsServing").length > 0);

      const warned = app.lines
        .filter(({ level }) => level === "warn")
        .map(({ fields }) => JSON.stringify(fields));
      expect(warned.filter((line) => line.includes("getSocketsServing"))).deep.equal([]);
    });

    it("says of a refused request by which code", async () => {
      await call("/v1/users/me");
      await eventually(() => answeredLines("getMe").length > 0);

      expect(answeredLines("getMe").at(-1)).include('"code":"auth_required"');
    });

    it("names the user whom the operation refuses, and the ids that the body names", async () => {
      const authorization = `Bearer ${app.newToken([])}`;
      await call(`/v1/chat/${room}/clear`, { method: "POST", headers: { authorization } });
      const clip = { stream_id: room, title: "A clip", start_time: 0, end_time: 10 };
      const headers = { ...bearer(), "content-type": "application/json" };
      await call("/v1/clips", { method: "POST", headers, body: JSON.stringify(clip) });
      const cookie = `lc_access_token=${app.newToken()}`;
      await call("/v1/auth/logout", { method: "POST", headers: { cookie } });
      const lineOf = (operation: string, code: string) =>
        eventually(() => {
          const line = answeredLines(operation).find((one) => one.includes(code));
          return line ? JSON.parse(line) : Promise.reject(new Error(`no line of ${operation}`));
        });

      expect((await lineOf("clearChat", "insufficient_scope")).userId).a("string");
      expect((await lineOf("logout", "client_header_required")).userId).a("string");
      expect(await lineOf("createClip", "no_broadcast"))
        .include({ stream_id: room })
        .not.property("title");
    });

    it("says which rules a malformed request breaks, and where, but nothing of what was sent", async () => {
      const body = JSON.stringify({ login: 5, my_secret: "x", device_id: room });
      await call("/v1/auth/login", { method: "POST", headers: { "content-type": "application/json" }, body });
      const find = () => answeredLines("login").find((line) => line.includes("validation_failed"));
      const line = await eventually(() => find() ?? Promise.reject(new Error("no line yet")));

      expect(JSON.parse(line).invalid).have.members([
        "/body/password required",
        "/body/login type",
        "/body/* additionalProperties",
      ]);
      expect(line).not.include("my_secret").not.include(room);
    });

    it("has no name that a body's open object gives a field", async () => {
      const headers = { ...bearer(), "content-type": "application/json" };
      const body = JSON.stringify({ hunter2_is_my_password: 5 });
      await call("/v1/users/me/seo-tags", { method: "PUT", headers, body });
      const line = await eventually(
        () => answeredLines("setSeoTags")[0] ?? Promise.reject(new Error("no line yet")),
      );

      expect(JSON.parse(line).invalid).deep.equal(["/body/* type"]);
      expect(line).not.include("hunter2");
    });
  });

  describe("/docs", () => {
    /** What a page loads by itself. */
    const loadedBy = (html: string) =>
      [...html.matchAll(/<(?:script|link rel="(?!canonical)\w+")[^>]* (?:src|href)="([^"]+)"/g)].map(
        (match) => match[1] ?? "",
      );

    it("is a page that needs nothing from elsewhere", async () => {
      const page = await call("/docs");
      const loaded = loadedBy(await page.text());
      const statuses = await Promise.all(loaded.map(async (path) => (await call(path)).status));

      expect(page.status).equal(200);
      expect(page.headers.get("content-security-policy"))
        .include("default-src 'self'")
        .include("base-uri 'none'")
        .include("form-action 'none'");
      expect(loaded).length(7);
      expect(loaded.every((path) => path.startsWith("/docs/") || path.startsWith("/favicon."))).equal(true);
      expect(statuses).deep.equal(loaded.map(() => 200));
    });

    it("has a table of contents with every operation, at the address that Swagger UI gives it", async () => {
      const html = await (await call("/docs")).text();
      const links = [...html.matchAll(/href="#\/([^"]+)"/g)].map((match) => match[1]);
      const wanted = operationsOf(readOpenApi()).map(
        ({ operation: { tags, operationId } }) => `${tags[0]}/${operationId}`,
      );

      expect(links).have.members(wanted);
    });

    it("has the events beside it, in the same form and without inline scripts", async () => {
      const [rest, sockets] = await Promise.all([call("/docs"), call("/docs/sockets")]);
      const [restHtml, html] = [await rest.text(), await sockets.text()];
      const loaded = loadedBy(html);
      const anchors = [...html.matchAll(/href="#([^"]+)"/g)].map((match) => match[1] ?? "");
      const statuses = await Promise.all(loaded.map(async (path) => (await call(path)).status));
      const headerOf = (page: string) => /<header[\s\S]*<\/header>/.exec(page)?.[0];

      expect(headerOf(html)).equal(headerOf(restHtml)).include(`href="/docs/sockets"`);
      expect(loaded).deep.equal(["/favicon.ico", "/favicon.svg", "/docs/docs.css", "/docs/contents.js"]);
      expect(statuses).deep.equal([200, 200, 200, 200]);
      expect(anchors.filter((anchor) => !html.includes(`id="${anchor}"`))).deep.equal([]);
      expect(html).not.match(/<script(?! src="[^"]+"><\/script>)|<style|style=|\son\w+=/);
      expect(sockets.headers.get("content-security-policy"))
        .include("default-src 'none'")
        .include("script-src 'self'")
        .include("style-src 'self'")
        .not.include("unsafe-inline");
      expect(sockets.headers.get("content-type")).include("text/html");
    });

    it("documents every message, command, topic and close code of the sockets", async () => {
      const html = await (await call("/docs/sockets")).text();
      const document = readAsyncApi();
      const names = Object.keys(document.components.messages).filter((name) => name !== "frame");

      expect(names.filter((name) => !html.includes(`<summary><code>${name}</code>`))).deep.equal([]);
      expect(names.filter((name) => !html.includes(`-${name}">`))).deep.equal([]);
      for (const { code, name } of document["x-close-codes"]) {
        expect(html).include(`<td>${code}</td><td><code>${name}</code>`);
      }
      expect(html).include("chat:&lt;stream_id&gt;").not.include("chat:<stream_id>");
    });

    it("serves nothing else of that folder", async () => {
      for (const path of ["/docs/assets/package.json", "/docs/assets/..%2fpackage.json", "/docs/assets/"]) {
        expect((await call(path)).status, path).equal(404);
      }
    });
  });
});
