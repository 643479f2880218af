import { expect } from "chai";
import { connectRoom, createClient } from "../../clients/typescript/src/index.ts";

describe("The client's path parameters", () => {
  const paths: string[] = [];
  beforeEach(() => void paths.splice(0));
  const fetch: typeof globalThis.fetch = async (input) => {
    paths.push(new URL(String(input)).pathname);
    return new Response(null, { status: 204 });
  };
  const rooms: { close(): void }[] = [];
  afterEach(() => {
    for (const room of rooms.splice(0)) room.close();
  });
  const connect = (streamId: string) => {
    rooms.push(connectRoom({ url: "ws://service.example", streamId, WebSocket: Socket }));
  };
  class Socket {
    constructor(url: string) {
      paths.push(new URL(url).pathname);
    }
    close() {
      // Nothing was opened.
    }
  }

  it("can't name another operation", async () => {
    const client = createClient({ baseUrl: "http://service.example", fetch });
    for (const id of ["", ".", ".."]) {
      for (const call of [
        () => client.attempt("endSession", { path: { session_id: id } }),
        () => client.attempt("unbanUser", { path: { stream_id: id, user_id: "u" } }),
      ]) {
        expect(String(await call().catch((err: unknown) => err))).match(
          /TypeError: ".*" can't be the path parameter/,
        );
      }
      expect(() => connect(id)).throw(TypeError);
    }
    expect(paths).deep.equal([]);
  });

  it("stay one segment, by REST and by socket", async () => {
    const client = createClient({ baseUrl: "http://service.example", fetch });
    await client.call("endSession", { path: { session_id: "../a?b" } });
    connect("../a?b");
    await Promise.resolve();

    expect(paths).deep.equal(["/v1/users/me/sessions/..%2Fa%3Fb", "/v1/ws/chat/..%2Fa%3Fb"]);
  });
});
