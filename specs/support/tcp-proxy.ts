import { createConnection, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** A TCP proxy that can change its target, slow down, stall, swallow everything with its sockets open, or close. */
export async function openTcpProxy(port: number) {
  let target = port;
  let isHeld = false;
  let isBlackHole = false;
  let bytesPerMs = Number.POSITIVE_INFINITY;
  const sockets = new Set<Socket>();
  /** Sockets of connections that lead nowhere any more, in both directions. */
  const forgotten = new Set<Socket>();
  /** Ends of connections that weren't passed on, as FIN and RST are lost like any other packet. */
  const lostEnds = new Set<Socket>();
  const keep = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    if (isBlackHole) socket.pause();
    socket.once("close", () => {
      sockets.delete(socket);
      if (forgotten.delete(socket)) return;
      if (isBlackHole) lostEnds.add(other);
      else other.destroySoon();
    });
    // "close" follows, and ends the other side.
    socket.on("error", () => undefined);
  };
  const server = createServer((client) => {
    const upstream = createConnection({ port: target, host: "127.0.0.1", noDelay: true });
    client.setNoDelay(true);
    keep(client, upstream);
    keep(upstream, client);
    // Reads without back-pressure, as a server does that is merely slow: each chunk waits for those before it.
    let passed = Promise.resolve();
    client.on("data", (chunk) => {
      const ms = chunk.length / bytesPerMs;
      passed = ms === 0 ? passed : passed.then(() => pause(ms));
      void passed.then(() => upstream.write(chunk));
    });
    upstream.on("data", (chunk) => {
      if (!isHeld) client.write(chunk);
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    port: address.port,
    /** From now on requests pass at this pace, per connection. */
    slowDown(pace: { bytesPerMs: number }): void {
      bytesPerMs = pace.bytesPerMs;
    },
    /** From now on the target's responses are dropped, not buffered. */
    hold(): void {
      isHeld = true;
    },
    /**
     * From now on nothing passes in either direction, as if every packet were dropped: all sockets stay open, new ones are
     * accepted, nothing is read, and the end of one side isn't told to the other.
     */
    blackHole(): void {
      isBlackHole = true;
      for (const socket of sockets) socket.pause();
    },
    /**
     * Nothing passes ever again on the connections that are open now, whose sockets stay open; new ones work. As when a firewall
     * forgets its connections, or another host takes over the address.
     */
    forgetConnections(): void {
      for (const socket of sockets) {
        socket.pause();
        forgotten.add(socket);
      }
    },
    /** Everything passes again. What a black hole swallowed arrives late, as TCP sends it again; what was held is lost. */
    release(): void {
      isHeld = false;
      isBlackHole = false;
      for (const socket of lostEnds) socket.destroySoon();
      lostEnds.clear();
      for (const socket of sockets) if (!forgotten.has(socket)) socket.resume();
    },
    /** Breaks all connections; new ones go to that port. */
    forwardTo(port: number): void {
      target = port;
      cutAll();
    },
    async close(): Promise<void> {
      isBlackHole = false;
      const closed = new Promise<void>((done) => void server.close(() => done()));
      cutAll();
      await closed;
    },
  };
}
