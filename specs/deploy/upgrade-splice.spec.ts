// @waits: for sockets that nobody answers.
import { randomInt } from "node:crypto";
import { readdirSync, renameSync } from "node:fs";
import type { Socket as TcpSocket } from "node:net";
import { expect } from "chai";
import { clientAddressBehind, networksFrom } from "../../base/addresses.ts";
import { newLocalSocket, tokenOf } from "../../deploy/processes/upgrade-splice/socket-folder.ts";
import type { GatewayDeps } from "../../realtime/gateway/deps.ts";
import type { Gateway } from "../../realtime/gateway/gateway.ts";
import { type GatewayWorld, openGatewayWorld, Socket, textsIn } from "../realtime/gateway/world.ts";
import { talker } from "../realtime/rooms/world.ts";
import { eventually } from "../support/eventually.ts";
import { CheckedSocket } from "../support/frames/checked-socket.ts";
import { headOf, newLocalAddress, RawConnection, upgradeHead } from "../support/raw-http.ts";
import { specSocketFolder } from "../support/socket-folder.ts";
import { AT_ONCE, type Closing, openPublicPort, openRogueWorkers } from "./public-port.ts";

describe("WebSocket upgrades on the public port", () => {
  const closing: Closing = [];
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const publicPort = (folder: string, more?: Parameters<typeof openPublicPort>[2]) =>
    openPublicPort(closing, folder, more);
  const rogueWorker = (served: (socket: TcpSocket) => void) => openRogueWorkers(closing, served);

  /** One realtime worker behind one public port. */
  async function service(more: Partial<GatewayDeps> & { trustedProxies?: string[] } = {}) {
    const folder = specSocketFolder();
    closing.push(() => folder.remove());
    const { trustedProxies = [], ...gatewayMore } = more;
    const gateway = await world.gateway({ localSocket: newLocalSocket(folder.path), ...gatewayMore });
    closing.push(() => gateway.stop());
    const server = await publicPort(folder.path, { trustedProxies });
    return { gateway, server, port: server.port, folder: folder.path };
  }

  function raw(port: number, from?: string): RawConnection {
    const connection = new RawConnection(port, from);
    closing.push(() => connection.close());
    return connection;
  }

  function webSocket(port: number, path: string, headers: Record<string, string> = {}): Socket {
    const socket = new Socket(`ws://127.0.0.1:${port}${path}`, undefined, headers);
    closing.push(() => socket.terminate());
    return socket;
  }

  /** "open", or the status of a refusal. */
  async function knock(port: number, headers: Record<string, string>): Promise<string | number> {
    const socket = webSocket(port, "/v1/ws", headers);
    await eventually(() => socket.messages.length > 0 || socket.refused !== null, { withinMs: 10_000 });
    return socket.refused?.status ?? "open";
  }

  async function allOf<T>(numbers: number[], work: (n: number) => Promise<T>): Promise<T[]> {
    const answers: T[] = [];
    for (const n of numbers) answers.push(await work(n));
    return answers;
  }

  it("pass both ways, beside plain requests", async () => {
    const { port, server } = await service();
    const stream = await world.channel();
    const user = talker();
    const socket = webSocket(port, `/v1/ws/chat/${stream._id}?ticket=${world.ticketFor(user)}`);
    await socket.next("subscribed");

    const reply = await socket.command("chat.send", {
      channel: `chat:${stream._id}`,
      content: "ä".repeat(400),
    });
    await eventually(() => textsIn(socket.messages).length === 1);

    expect(reply).nested.property("data.seq", 1);
    expect(server.sockets()).equal(1);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).equal(200);
    socket.ws.close();
    await eventually(() => server.sockets() === 0);
  });

  describe("say where a client is", () => {
    const limits = { socketsPerIp: 2 };
    /** Of nobody else: counts are shared over all workers of the same Redis. */
    const net = `2001:db8:${randomInt(0xffff).toString(16)}`;

    it("whatever it says of itself, on its first and on later requests", async () => {
      const { port } = await service({ limits });
      const localAddress = newLocalAddress();
      const from = (ip: string) =>
        knock(port, {
          localAddress,
          "X-Forwarded-For": ip,
          Forwarded: `for=${ip}`,
          "X-Real-IP": ip,
          "X-Livecore-Socket": ip,
        });

      expect([await from("6.6.6.1"), await from("6.6.6.2"), await from("6.6.6.3")]).deep.equal([
        "open",
        "open",
        429,
      ]);
      const connection = raw(port, localAddress);
      connection.write(upgradeHead("/v1/nope"));
      connection.write(upgradeHead("/v1/ws", "X-Forwarded-For: 6.6.6.4"));
      await connection.ended();
      // Of an address whose two sockets are open.
      expect(connection.statuses()).deep.equal([429]);
    });

    it("as trusted proxies of a network report it", async () => {
      const { port } = await service({ limits, trustedProxies: ["127.0.0.0/8"] });
      const from = (ip: string) => knock(port, { "X-Forwarded-For": ip });

      expect([await from(`${net}:1::1`), await from(`${net}:1::2`), await from(`${net}:1::3`)]).deep.equal([
        "open",
        "open",
        429,
      ]);
      expect(await from(`${net}:2::1`)).equal("open");
    });

    it("on the realtime port too: by trusted networks, and never by a token that came another way", async () => {
      const token = tokenOf(world.socketFolder);
      const localAddress = newLocalAddress();
      const from = ({ port }: Gateway, ip: string) =>
        knock(port, { localAddress, "X-Forwarded-For": ip, "X-Livecore-Token": token });
      const plain = await world.gateway({ limits });
      const behind = await world.gateway({
        limits,
        clientAddress: clientAddressBehind(networksFrom(["127.0.0.0/8"])),
      });

      expect(await allOf([1, 2, 3], (n) => from(plain, `6.6.6.${n}`))).deep.equal(["open", "open", 429]);
      expect(await allOf([1, 1, 1, 2], (n) => from(behind, `${net}:1${n}::${n}`))).deep.equal([
        "open",
        "open",
        429,
        "open",
      ]);
    });

    it("on the Unix socket, to those who have the token alone", async () => {
      const localSocket = newLocalSocket(world.socketFolder);
      await world.gateway({ limits, localSocket });
      const from = async (ip: string, token: string) => {
        const headers = { "X-Forwarded-For": ip, "X-Livecore-Token": token };
        const socket = new Socket(`ws+unix://${localSocket.path}:/v1/ws`, undefined, headers);
        closing.push(() => socket.terminate());
        await eventually(() => socket.messages.length > 0 || socket.refused !== null);
        return socket.refused?.status ?? "open";
      };

      expect(await allOf([1, 2, 3], (n) => from(`${net}:2${n}::1`, localSocket.token))).deep.equal(
        Array(3).fill("open"),
      );
      // All of them are of nobody knows where.
      expect(await allOf([1, 2, 3], (n) => from(`${net}:3${n}::1`, "made up"))).deep.equal([
        "open",
        "open",
        429,
      ]);
    });
  });

  describe("that are refused", () => {
    it("end the connection: what follows on it is answered by nobody", async () => {
      const { port } = await service();
      const connection = raw(port);
      connection.write(upgradeHead("/v1/nope", "X-Request-Id: abcdefgh-1") + headOf("GET /healthz"));
      await connection.ended();
      connection.write(headOf("GET /healthz"));

      expect(connection.statuses()).deep.equal([404]);
      expect(connection.text())
        .match(/\r\nConnection: close\r\n/i)
        .match(/\r\nX-Request-Id: abcdefgh-1\r\n/i)
        .include('"code":"not_found"');
    });

    it("are answered as the plain requests that they also are when they are for something else", async () => {
      const { folder, sockets } = await rogueWorker((socket) => socket.destroy());
      const { port } = await publicPort(folder);
      const connection = raw(port);
      connection.write(
        upgradeHead("/healthz", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA").replace("websocket", "h2c"),
      );
      await eventually(() => connection.statuses().length === 1);

      expect(connection.text()).match(/^HTTP\/1\.1 200 .*"status":"ok"/s);
      expect(sockets).length(0);
    });

    it("end the connection when an earlier request on it has no answer yet", async () => {
      const { folder, sockets } = await rogueWorker((socket) =>
        socket.once("data", () =>
          socket.write(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
          ),
        ),
      );
      const { port } = await publicPort(folder);
      const connection = raw(port);
      // Its body never comes, so its answer doesn't either.
      connection.write(headOf("POST /v1/auth/login", "Content-Type: application/json", "Content-Length: 0"));
      connection.write(upgradeHead("/v1/ws"));
      await connection.ended();

      expect(connection.text()).not.include("101");
      expect(sockets).length(0);
    });

    it("are counted and carry their allowance, as every refusal is", async () => {
      const { port } = await service();
      const [unknown, malformed] = [raw(port), raw(port)];
      unknown.write(upgradeHead("/v1/nope"));
      malformed.write(upgradeHead("/v1/ws", "Content-Length: 5"));
      await Promise.all([unknown.ended(), malformed.ended()]);

      expect(unknown.text()).match(/^HTTP\/1\.1 404 .*ratelimit-policy: .*name="upgrades"/is);
      expect(malformed.text()).match(/^HTTP\/1\.1 400 .*ratelimit-policy: .*name="default"/is);
    });

    it("don't reach a worker with a body, nor by anything but a GET", async () => {
      const { folder, sockets } = await rogueWorker((socket) => socket.destroy());
      const { port } = await publicPort(folder);
      for (const head of [
        `${upgradeHead("/v1/ws", "Content-Length: 5")}hello`,
        `${upgradeHead("/v1/ws", "Transfer-Encoding: chunked")}0\r\n\r\n`,
        upgradeHead("/v1/ws").replace("GET", "POST"),
        upgradeHead(`/v1/ws?${"x".repeat(5_000)}`),
      ]) {
        const connection = raw(port);
        connection.write(head);
        await connection.ended();

        expect(connection.text(), head).match(/^HTTP\/1\.1 400 .*"code":"validation_failed"/s);
      }
      expect(sockets).length(0);
    });

    it("get 503 while no worker is there, and when one hangs up without a word", async () => {
      const empty = specSocketFolder();
      closing.push(() => empty.remove());
      const { folder } = await rogueWorker((socket) => socket.once("data", () => socket.destroy()));
      for (const socketFolder of [empty.path, folder]) {
        const { port, sockets } = await publicPort(socketFolder);
        const connection = raw(port);
        connection.write(upgradeHead("/v1/ws"));
        await connection.ended();
        connection.close();

        expect(connection.text()).match(/^HTTP\/1\.1 503 .*Retry-After: 1\r\n.*"code":"unavailable"/s);
        await eventually(() => sockets() === 0);
      }
    });

    it("are cut off when they don't go", async () => {
      const { folder } = await rogueWorker((socket) =>
        socket.end("HTTP/1.1 429 X\r\nContent-Length: 0\r\n\r\n"),
      );
      const { port, sockets } = await publicPort(folder);
      const stubborn = raw(port);
      stubborn.write(upgradeHead("/v1/ws"));

      await eventually(() => stubborn.statuses()[0] === 429);
      expect(sockets()).equal(1);
      await eventually(() => sockets() === 0);
    });
  });

  it("carry no more than a worker reads: no cookie, and no matter how many headers", async () => {
    let seen = "";
    const { folder } = await rogueWorker((socket) =>
      socket.once("data", (chunk) => {
        seen = chunk.toString();
        socket.end("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
      }),
    );
    const { port } = await publicPort(folder);
    const connection = raw(port);
    const many = Array.from({ length: 200 }, (_, i) => `X-Header-${i}: ${i}`);
    connection.write(
      upgradeHead("/v1/ws?ticket=t", "Cookie: lc_access_token=t", "Origin: https://a.example", ...many),
    );
    await connection.ended();

    expect(seen)
      .match(/^GET \/v1\/ws\?ticket=t HTTP/)
      .include("origin: https://a.example");
    expect(seen).not.match(/cookie|x-header/i);
    expect(connection.statuses()).deep.equal([404]);
  });

  it("find a living worker beside one that was killed", async () => {
    const { port, folder } = await service();
    const { folder: other, sockets } = await rogueWorker(() => undefined);
    expect(sockets).length(0);
    // The file of a socket stays when its process is killed.
    const left = readdirSync(other).find((name) => name.endsWith(".sock")) ?? "";
    renameSync(`${other}/${left}`, newLocalSocket(folder).path);
    await closing.pop()?.();

    for (let i = 0; i < 8; i++) expect(await knock(port, {})).equal("open");
  });

  it("go on to another worker when one doesn't answer, which is then tried last", async () => {
    const { port, folder } = await service();
    const { folder: other, sockets: hung } = await rogueWorker(() => undefined);
    for (const name of readdirSync(other).filter((one) => one.endsWith(".sock"))) {
      renameSync(`${other}/${name}`, newLocalSocket(folder).path);
    }

    // In random order: sooner or later the hung one comes first.
    for (let tries = 0; hung.length === 0 && tries < 30; tries++) expect(await knock(port, {})).equal("open");
    for (let i = 0; i < 10; i++) expect(await knock(port, {})).equal("open");

    expect(hung).length(1);
  });

  it("end when a side stops taking what waits for it, though the other one's end is hidden", async () => {
    const { folder, sockets: workers } = await rogueWorker((socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
        // More than the kernel takes for a reader that has stopped; then its end.
        socket.end(Buffer.alloc(16 * 1024 * 1024));
      }),
    );
    const { port, sockets } = await publicPort(folder, { times: { stalled: 400 } });
    const connection = raw(port);
    connection.socket.pause();
    connection.write(upgradeHead("/v1/ws"));

    await eventually(() => workers.length === 1);
    await eventually(() => sockets() === 0 && workers[0]?.destroyed === true);
  });

  it("end when either side ends, and all of them with the process's drain", async () => {
    const { port, server } = await service();
    const sockets = [1, 2, 3].map(() => new CheckedSocket(`ws://127.0.0.1:${port}/v1/ws`));
    let ended = 0;
    for (const socket of sockets) socket.on("close", () => ended++);
    await eventually(() => sockets.every((socket) => socket.readyState === socket.OPEN));

    sockets[0]?.terminate();
    await eventually(() => server.sockets() === 2);
    await server.drain(AT_ONCE);

    await eventually(() => ended === 3 && server.sockets() === 0);
  });

  it("are ended one after the other, so that they don't come back at once", async () => {
    const { port, server } = await service();
    const sockets = Array.from({ length: 60 }, () => new CheckedSocket(`ws://127.0.0.1:${port}/v1/ws`));
    const endedAt: number[] = [];
    for (const socket of sockets) socket.on("close", () => endedAt.push(performance.now()));
    await eventually(() => sockets.every((socket) => socket.readyState === socket.OPEN));

    await server.drain({ ...AT_ONCE, finishMs: 5_000, spreadMs: 4_000 });

    await eventually(() => endedAt.length === 60);
    // 10 ms a socket, in steps.
    expect(Math.max(...endedAt) - Math.min(...endedAt)).within(400, 3_000);
  });
});
