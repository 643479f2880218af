import { expect } from "chai";
import { createRouteTree } from "../../../api/http/route-tree.ts";

const PATHS = [
  "/healthz",
  "/v1/streams",
  "/v1/streams/me",
  "/v1/streams/me/key",
  "/v1/streams/{stream_id}",
  "/v1/streams/{stream_id}/viewers",
  "/v1/users/{username}",
  "/v1/users/{user_id}/follow",
  "/v1/points/{user_id}/of/{other_id}",
];

describe("routes by path", () => {
  const tree = createRouteTree(PATHS.map((path) => [path, path] as const));
  const found = (path: string) => tree.find(path)?.route ?? null;

  it("lead where the document says, a fixed segment before a parameter", () => {
    expect(found("/v1/streams/me")).equal("/v1/streams/me");
    expect(found("/v1/streams/0192")).equal("/v1/streams/{stream_id}");
    // No fixed way goes on from there.
    expect(tree.find("/v1/streams/me/viewers")).deep.equal({
      route: "/v1/streams/{stream_id}/viewers",
      params: { stream_id: "me" },
    });
  });

  it("give each parameter by the name that it has there, decoded", () => {
    expect(tree.find("/v1/users/j%C3%BCrgen")?.params).deep.equal({ username: "jürgen" });
    expect(tree.find("/v1/users/a%2Fb/follow")?.params).deep.equal({ user_id: "a/b" });
    expect(tree.find("/v1/points/1/of/2")?.params).deep.equal({ user_id: "1", other_id: "2" });
    expect(() => tree.find("/v1/users/%FF")).throw(URIError);
  });

  it("don't mind one slash at the end, and mind everything else", () => {
    expect(found("/v1/streams/")).equal("/v1/streams");
    expect(found("/v1/streams/0192/")).equal("/v1/streams/{stream_id}");
    for (const path of [
      "/",
      "",
      "*",
      "/v1",
      "/v1/streams//",
      "/v1//streams",
      "//healthz",
      "/Healthz",
      "xhealthz",
    ])
      expect(found(path), path).equal(null);
    expect(found("/v1/users//follow")).equal(null);
    expect(found("/v1/streams/me/key/more")).equal(null);
    expect(found("/v1/%73treams")).equal(null);
  });

  it("are found for as many segments as somebody sends, without effort", () => {
    expect(found("/v1/streams".repeat(5_000))).equal(null);
  });

  it("can't be the same twice", () => {
    expect(() =>
      createRouteTree([
        ["/a/{b}", 1],
        ["/a/{c}", 2],
      ] as const),
    ).throw("/a/{c}");
  });
});
