import { createConnection, createServer, type Socket } from "node:net";

/** A TCP address of its own that leads to another one, which may change, stop answering or go. */
export async function openTcpDoor(leadsTo: number) {
  let target = leadsTo;
  let isHeld = false;
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
    client.on("data", (chunk) => upstream.write(chunk));
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
  if (address === null || typeof address === "string") throw new Error("the door has no port");
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    port: address.port,
    /** From now on nothing that the other side says comes through; it is lost, not kept. */
    hold(): void {
      isHeld = true;
    },
    /** All connections break; new ones lead elsewhere. */
    leadTo(port: number): void {
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
