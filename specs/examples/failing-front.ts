import { createConnection, createServer, type Socket } from "node:net";

const answer = (status: string, body = "<h1>an error page</h1>", length = body.length) =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;

/** What clients meet while a worker behind a proxy is replaced. */
export const FAULTS = {
  "a reset connection": (client: Socket) => client.resetAndDestroy(),
  "a connection that ends without an answer": (client: Socket) => client.end(),
  "half an answer": (client: Socket) => client.end(answer("200 OK", '{"cursor":', 500)),
  "an internal error": (client: Socket) => client.end(answer("500 Internal Server Error")),
  "a proxy without a worker": (client: Socket) => client.end(answer("502 Bad Gateway")),
  "a proxy whose worker is late": (client: Socket) => client.end(answer("504 Gateway Timeout")),
} as const;

export type Fault = keyof typeof FAULTS;

/** A front of the service, at whose connections these faults happen. */
export async function openFailingFront(target: number) {
  const faults: Fault[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.once("close", () => sockets.delete(client));
    client.on("error", () => undefined);
    const fault = faults[0];
    if (fault) {
      // After its request, so that a client has sent it.
      client.once("data", () => {
        faults.shift();
        FAULTS[fault](client);
      });
      return;
    }
    const upstream = createConnection({ port: target, host: "127.0.0.1" });
    upstream.on("error", () => undefined);
    upstream.once("close", () => client.destroy());
    client.once("close", () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the front has no port");
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    /** Cuts all connections; the fault happens to the next ones, so many times. */
    fail(fault: Fault, times: number): void {
      faults.push(...Array<Fault>(times).fill(fault));
      for (const socket of sockets) socket.destroy();
    },
    /** How many faults are still to come. */
    left: () => faults.length,
    async close(): Promise<void> {
      const closed = new Promise<void>((done) => void server.close(() => done()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
