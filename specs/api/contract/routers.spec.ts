import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import express, { type ErrorRequestHandler } from "express";
import { createRouters } from "../../../api/http/routers.ts";
import type { DocumentedOperation } from "../../../contract/openapi-document.ts";

const PATHS: readonly [path: string, tag: string][] = [
  ["/v1/streams/{stream_id}", "streams"],
  ["/v1/streams/{stream_id}/viewers", "viewers"],
  ["/v1/streams", "streams"],
  ["/v1/streams/me", "streams"],
  ["/v1/streams/me/key", "streams"],
  ["/healthz", "system"],
  ["/v1/users/{username}", "users"],
  ["/v1/users/{user_id}/follow", "social"],
  ["/v1/points/{user_id}/of/{other_id}", "points"],
];

const operation = (path: string, tag: string) =>
  ({
    path,
    method: "get",
    operation: {
      operationId: path,
      summary: "",
      description: "",
      tags: [tag],
      security: [],
      responses: {},
      "x-access": { who: "anonymous" },
      "x-errors": [],
    },
  }) satisfies DocumentedOperation;

const routersOf = (paths: typeof PATHS) =>
  createRouters(
    paths.map(([path, tag]) => operation(path, tag)),
    {
      serve:
        ({ path }) =>
        (req, res) =>
          void res.json({ path, params: req.params }),
      limits: { lookByAddress: () => Promise.reject(new Error("no request here is an OPTIONS")) },
    },
  );

describe("routers of the document", () => {
  let server: Server;
  before(async () => {
    const fail: ErrorRequestHandler = (err, _req, res, _next) =>
      void res.status(400).json({ name: err.name });
    const app = express().enable("case sensitive routing");
    app.use(...routersOf(PATHS), (_req, res) => void res.status(404).json({}));
    app.use(fail);
    server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => server.close());

  /** The path is sent as it is. */
  async function found(path: string): Promise<{ status: number | undefined; body: unknown }> {
    const { port } = server.address() as AddressInfo;
    const sent = request({ host: "127.0.0.1", port, path }).end();
    const [response] = await once(sent, "response");
    const text = (await response.toArray()).join("");
    return { status: response.statusCode, body: JSON.parse(text) };
  }

  it("lead a path with a fixed segment before one with a parameter there", async () => {
    expect((await found("/v1/streams/me")).body).deep.equal({ path: "/v1/streams/me", params: {} });
    expect((await found("/v1/streams/0192")).body).deep.equal({
      path: "/v1/streams/{stream_id}",
      params: { stream_id: "0192" },
    });
    // No fixed way goes on from there.
    expect((await found("/v1/streams/me/viewers")).body).deep.equal({
      path: "/v1/streams/{stream_id}/viewers",
      params: { stream_id: "me" },
    });
  });

  it("decode parameters, and refuse escapes that can't be decoded", async () => {
    const paramsOf = async (path: string) => (await found(path)).body;
    expect(await paramsOf("/v1/users/j%C3%BCrgen")).deep.include({ params: { username: "jürgen" } });
    expect(await paramsOf("/v1/users/a%2Fb/follow")).deep.include({ params: { user_id: "a/b" } });
    expect(await paramsOf("/v1/points/1/of/2")).deep.include({ params: { user_id: "1", other_id: "2" } });
    expect(await found("/v1/users/%FF")).deep.equal({ status: 400, body: { name: "URIError" } });
  });

  it("ignore one slash at the end, and match nothing else that is written differently", async () => {
    expect((await found("/v1/streams/")).body).deep.include({ path: "/v1/streams" });
    expect((await found("/v1/streams/0192/")).body).deep.include({ path: "/v1/streams/{stream_id}" });
    const unknown = [
      ["/", "*", "/v1", "/v1/streams//", "/v1//streams", "//healthz", "/Healthz", "/xhealthz"],
      ["/v1/users//follow", "/v1/streams/me/key/more", "/v1/%73treams", "/v1/streams".repeat(1_000)],
    ].flat();
    for (const path of unknown) expect((await found(path)).status, path).equal(404);
  });

  it("aren't made when one path would hide another", () => {
    const twice: typeof PATHS = [
      ["/a/{b}", "one"],
      ["/a/{c}", "other"],
    ];
    const late: typeof PATHS = [
      ["/a/{b}/c", "one"],
      ["/a/me/{d}", "other"],
    ];
    expect(() => routersOf(twice)).throw("/a/{b} hides /a/{c}");
    expect(() => routersOf(late)).throw("/a/{b}/c hides /a/me/{d}");
  });
});
