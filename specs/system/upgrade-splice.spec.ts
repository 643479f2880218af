import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { expect } from "chai";
import { WebSocket, WebSocketServer } from "ws";
import { type Splice, spliceUpgrades } from "../../deploy/upgrade-splice.ts";
import { eventually } from "../support/eventually.ts";
import { quietLog } from "../support/quiet-log.ts";

describe("WebSocket upgrades on the public port", () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function listening(server: Server | TcpServer): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** A realtime worker that echoes, and remembers the heads it was sent. */
  async function realtime(): Promise<{ port: number; heads: IncomingMessage[] }> {
    const server = createServer();
    const sockets = new WebSocketServer({ server });
    const heads: IncomingMessage[] = [];
    sockets.on("connection", (socket, head) => {
      heads.push(head);
      socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
    });
    return { port: await listening(server), heads };
  }

  async function publicPort(realtimePort: number): Promise<{ port: number; splice: Splice }> {
    const server = createServer((_, response) => response.end("rest"));
    const splice = spliceUpgrades(server, { realtimePort, log: quietLog() });
    const port = await listening(server);
    closing.push(async () => {
      await splice.close(0);
      server.closeAllConnections();
    });
    return { port, splice };
  }

  /** Sends raw bytes and gives back all that is answered until the other side closes. */
  function raw(port: number, request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let answered = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(request));
      socket.on("data", (chunk) => {
        answered += chunk;
      });
      socket.once("error", reject);
      socket.once("close", () => resolve(answered));
    });
  }

  const upgradeOf = (path: string, protocol = "websocket") =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n` +
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

  it("pass both ways unchanged, big frames too, beside plain requests", async () => {
    const { port: realtimePort } = await realtime();
    const { port, splice } = await publicPort(realtimePort);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/ws`);
    const big = "ä".repeat(500_000);

    const echoed: string[] = [];
    socket.on("message", (data) => echoed.push(String(data)));
    socket.on("open", () => {
      socket.send("hello");
      socket.send(big);
    });

    await eventually(() => echoed.length === 2);
    expect(echoed).deep.equal(["hello", big]);
    expect(splice.count()).equal(1);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).equal("rest");
    socket.close();
    await eventually(() => splice.count() === 0);
  });

  it("carry path, query and headers, but no address that the client made up", async () => {
    const { port: realtimePort, heads } = await realtime();
    const { port } = await publicPort(realtimePort);

    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/ws/chat/s1?ticket=t`, {
      headers: {
        "X-Forwarded-For": "6.6.6.6",
        "x-forwarded-proto": "https",
        Forwarded: "for=6.6.6.6",
        "X-Real-IP": "6.6.6.6",
        Origin: "https://a.example",
        Cookie: "a=b",
      },
    });
    closing.push(() => socket.terminate());
    await once(socket, "open");

    expect(heads[0]?.url).equal("/v1/ws/chat/s1?ticket=t");
    expect(heads[0]?.headers).include({
      "x-forwarded-for": "127.0.0.1",
      origin: "https://a.example",
      cookie: "a=b",
    });
    expect(JSON.stringify(heads[0]?.headers)).not.include("6.6.6.6");
    expect(heads[0]?.headers).not.have.any.keys("forwarded", "x-real-ip", "x-forwarded-proto");
  });

  it("are refused with 503 and the envelope while no realtime worker is there", async () => {
    const nobody = createTcpServer();
    const port = await listening(nobody);
    await new Promise((closed) => nobody.close(closed));
    const { port: open } = await publicPort(port);

    const answer = await raw(open, upgradeOf("/v1/ws"));

    expect(answer)
      .match(/^HTTP\/1\.1 503 /)
      .include("Retry-After: 1");
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).include({ code: "unavailable" });
  });

  it("are refused with 503 when the worker takes them and hangs up", async () => {
    const rude = await listening(createTcpServer((socket) => socket.destroy()));
    const { port, splice } = await publicPort(rude);

    expect(await raw(port, upgradeOf("/v1/ws"))).match(/^HTTP\/1\.1 503 /);
    await eventually(() => splice.count() === 0);
  });

  it("are cut off when they were refused and don't go", async () => {
    const rude = await listening(createTcpServer((socket) => socket.destroy()));
    const { port, splice } = await publicPort(rude);
    const stubborn = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    closing.push(() => stubborn.destroy());
    stubborn.resume().write(upgradeOf("/v1/ws"));

    await eventually(() => splice.count() === 1);
    await eventually(() => splice.count() === 0);
  });

  it("are refused with 400 when they ask for anything but a WebSocket", async () => {
    const { port } = await publicPort(1);

    expect(await raw(port, upgradeOf("/v1/streams", "h2c"))).match(/^HTTP\/1\.1 400 .*"validation_failed"/s);
  });

  it("pass the worker's own refusal on", async () => {
    const refusing = createServer();
    refusing.on("upgrade", (_, socket) =>
      socket.end("HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n"),
    );
    const { port } = await publicPort(await listening(refusing));

    expect(await raw(port, upgradeOf("/v1/ws"))).match(/^HTTP\/1\.1 429 /);
  });

  it("end when either side ends, and all of them with the process's drain", async () => {
    const { port: realtimePort } = await realtime();
    const { port, splice } = await publicPort(realtimePort);
    const sockets = [1, 2, 3].map(() => new WebSocket(`ws://127.0.0.1:${port}/`));
    let ended = 0;
    for (const socket of sockets) socket.on("close", () => ended++);
    await eventually(() => sockets.every((socket) => socket.readyState === WebSocket.OPEN));

    sockets[0]?.terminate();
    await eventually(() => splice.count() === 2);
    await splice.close(0);

    await eventually(() => ended === 3 && splice.count() === 0);
    expect(await raw(port, upgradeOf("/v1/ws"))).match(/^HTTP\/1\.1 503 /);
  });

  it("are ended one after the other, so that they don't come back at once", async () => {
    const { port: realtimePort } = await realtime();
    const { port, splice } = await publicPort(realtimePort);
    const sockets = Array.from({ length: 60 }, () => new WebSocket(`ws://127.0.0.1:${port}/`));
    const endedAt: number[] = [];
    for (const socket of sockets) socket.on("close", () => endedAt.push(performance.now()));
    await eventually(() => sockets.every((socket) => socket.readyState === WebSocket.OPEN));

    await splice.close(4_000);

    await eventually(() => endedAt.length === 60);
    // 10 ms a socket, in steps.
    expect(Math.max(...endedAt) - Math.min(...endedAt)).within(400, 3_000);
  });
});
