import { createConnection, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** A TCP proxy that can change its target, slow down, stall or close. */
export async function openTcpProxy(port: number) {
  let target = port;
  let isHeld = false;
  let bytesPerMs = Number.POSITIVE_INFINITY;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // "close" follows, and ends the other side.
    socket.on("error", () => undefined);
  };
  const server = createServer((client) => {
    const upstream = createConnection({ port: target, host: "127.0.0.1", noDelay: true });
    client.setNoDelay(true);
    for (const socket of [client, upstream]) keep(socket);
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
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
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
    /** Responses pass again. */
    release(): void {
      isHeld = false;
    },
    /** Breaks all connections; new ones go to that port. */
    forwardTo(port: number): void {
      target = port;
      cutAll();
    },
    async close(): Promise<void> {
      const closed = new Promise<void>((done) => void server.close(() => done()));
      cutAll();
      await closed;
    },
  };
}
