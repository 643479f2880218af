import { connect } from "node:net";
import { expect } from "chai";
import { withSeed } from "../../stress/seed.ts";
import { withGateway } from "../wire/gateway-process.ts";
import { runIdle } from "./idle.ts";

/** The head of the answer to an upgrade with these headers. */
function upgradeWith(port: number, headers: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(
        `GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n${headers}\r\n`,
      );
    });
    let answer = "";
    socket.on("data", (bytes) => {
      answer += bytes.toString("latin1");
      if (!answer.includes("\r\n\r\n")) return;
      socket.destroy();
      resolve(answer.split("\r\n\r\n")[0] ?? "");
    });
    socket.once("error", reject);
  });
}

describe("A socket that receives nothing", function () {
  this.timeout(60_000);

  it("costs its worker little memory", () =>
    // Resident memory comes in lumps, and these are few; the full size holds it to the real goal.
    withSeed((seed, print) => runIdle({ seed, sockets: 1_600, kibEach: 24 }, print)));

  it("is given no compressor of its own, though it asks for one", () =>
    withGateway(
      async () => ({}),
      async ({ port }) => {
        const head = await upgradeWith(port, "Sec-WebSocket-Extensions: permessage-deflate\r\n");

        expect(head).include("101 Switching Protocols");
        expect(head.toLowerCase()).not.include("permessage-deflate");
      },
    ));
});
