// @waits: for the deadlines of upgrades.
import type { Socket } from "node:net";
import { expect } from "chai";
import { eventually } from "../support/eventually.ts";
import { RawConnection, upgradeHead } from "../support/raw-http.ts";
import { type Closing, openPublicPort, openRogueWorkers } from "./public-port.ts";

describe("What an upgrade waits for at the public port", function () {
  this.timeout(60_000);
  const closing: Closing = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function knock(port: number, path: string): Promise<{ status: number | undefined; tookMs: number }> {
    const connection = new RawConnection(port);
    closing.push(() => connection.close());
    const at = performance.now();
    connection.write(upgradeHead(path));
    await eventually(() => connection.statuses().length > 0, { withinMs: 13_000 });
    return { status: connection.statuses()[0], tookMs: performance.now() - at };
  }

  it("is over after one time, however many workers say nothing; a ticket is shown to one of them", async () => {
    const requests = { anonymous: 0, ticket: 0 };
    const { folder } = await openRogueWorkers(
      closing,
      (socket) =>
        socket.once("data", (head) => void requests[head.includes("ticket=") ? "ticket" : "anonymous"]++),
      4,
    );
    const { port } = await openPublicPort(closing, folder);

    const knocks = await Promise.all([knock(port, "/v1/ws"), knock(port, "/v1/ws?ticket=t")]);

    for (const { status, tookMs } of knocks) {
      expect(status).equal(503);
      // A worker that lives answers within 5 s.
      expect(tookMs).within(5_000, 10_000);
    }
    expect(requests).deep.equal({ anonymous: 2, ticket: 1 });
  });

  it("is the first answer, also of a worker that was slow enough for another one to be tried", async () => {
    const tried: Socket[] = [];
    const { folder } = await openRogueWorkers(
      closing,
      (socket) =>
        socket.once("data", () => {
          tried.push(socket);
          if (tried.length === 2) tried[0]?.end("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
        }),
      2,
    );
    const { port } = await openPublicPort(closing, folder);

    const { status } = await knock(port, "/v1/ws");

    expect(status).equal(404);
    expect(tried).length(2);
  });
});
