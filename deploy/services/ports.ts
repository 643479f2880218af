import { randomInt } from "node:crypto";
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

/** Below the range from which systems give ports to outgoing connections, which could take one while its owner rests. */
const LOWEST = 20_000;
const HIGHEST = 31_999;
const TRIES = 200;

/** So many different ports of this machine that nobody uses right now. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; tries < TRIES && ports.size < count; tries++) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isPortFree(port)) ports.add(port);
  }
  if (ports.size < count) throw new Error(`No free port was found between ${LOWEST} and ${HIGHEST}.`);
  return [...ports];
}

/** A port of this machine that nobody uses right now. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("no port was requested");
  return port;
}
