import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket as TcpSocket } from "node:net";
import { expect } from "chai";
import { newLocalSocket } from "../../deploy/socket-folder.ts";
import { relayAndEnd } from "../../deploy/upgrade-splice/answer.ts";
import { spliceUpgrades } from "../../deploy/upgrade-splice/splice.ts";
import { eventually } from "../support/eventually.ts";
import { quietLog } from "../support/quiet-log.ts";
import { RawConnection, upgradeHead } from "../support/raw-http.ts";
import { specSocketFolder } from "../support/socket-folder.ts";

describe("What an upgrade waits for at the public port", function () {
  this.timeout(15_000);
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** `count` workers, each of which does with what it is asked as `served` likes. */
  async function workers(count: number, served: (socket: TcpSocket) => void): Promise<string> {
    const folder = specSocketFolder();
    closing.push(() => folder.remove());
    for (let i = 0; i < count; i++) {
      const server = createTcpServer((socket) => {
        closing.push(() => socket.destroy());
        socket.on("error", () => undefined);
        served(socket);
      });
      await new Promise<void>((listening) => server.listen(newLocalSocket(folder.path).path, listening));
      closing.push(() => server.close());
    }
    return folder.path;
  }

  async function publicPort(socketFolder: string): Promise<number> {
    const server = createServer();
    const splice = spliceUpgrades(server, {
      ...{ socketFolder, log: quietLog(), clientAddress: () => "127.0.0.1", stalledMs: 15_000 },
      answer: (_request, client, refusal) =>
        relayAndEnd(client, { status: refusal?.status ?? 426, headers: [], body: Buffer.alloc(0) }),
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    closing.push(
      () => splice.close(0),
      () => server.close(),
    );
    return (server.address() as AddressInfo).port;
  }

  async function knock(port: number, path: string): Promise<{ status: number | undefined; tookMs: number }> {
    const connection = new RawConnection(port);
    closing.push(() => connection.close());
    const at = performance.now();
    connection.write(upgradeHead(path));
    await eventually(() => connection.statuses().length > 0, { withinMs: 13_000 });
    return { status: connection.statuses()[0], tookMs: performance.now() - at };
  }

  it("is over after one time, however many workers say nothing; a ticket is shown to one of them", async () => {
    const asked = { anonymous: 0, ticket: 0 };
    const folder = await workers(4, (socket) =>
      socket.once("data", (head) => void asked[head.includes("ticket=") ? "ticket" : "anonymous"]++),
    );
    const port = await publicPort(folder);

    const knocks = await Promise.all([knock(port, "/v1/ws"), knock(port, "/v1/ws?ticket=t")]);

    for (const { status, tookMs } of knocks) {
      expect(status).equal(503);
      // A worker that lives answers within 5 s.
      expect(tookMs).within(5_000, 7_000);
    }
    expect(asked).deep.equal({ anonymous: 2, ticket: 1 });
  });

  it("is the first answer, also of a worker that was slow enough for another one to be asked", async () => {
    const asked: TcpSocket[] = [];
    const folder = await workers(2, (socket) =>
      socket.once("data", () => {
        asked.push(socket);
        if (asked.length === 2) asked[0]?.end("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
      }),
    );

    const { status } = await knock(await publicPort(folder), "/v1/ws");

    expect(status).equal(404);
    expect(asked).length(2);
  });
});
