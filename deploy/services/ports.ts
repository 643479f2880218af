import { createServer } from "node:net";

/** Whether nobody listens on `port`, on any address. Binds it exclusively for a moment. */
export function isPortFree(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (err: NodeJS.ErrnoException) => {
      if (err.code === "EADDRINUSE" || err.code === "EACCES") resolve(false);
      else reject(err);
    });
    server.listen({ port, exclusive: true, ...(host === undefined ? {} : { host }) }, () =>
      server.close(() => resolve(true)),
    );
  });
}

/** A port of this machine that nobody uses right now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port: 0, host: "127.0.0.1", exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === "object") resolve(address.port);
        else reject(new Error("The system gave no port."));
      });
    });
  });
}
