import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Whether `port` is free, on `host` or on all addresses. Binds it exclusively for a moment. */
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

/** Below the ephemeral range, from which the system could give a port to an outgoing connection while its owner isn't running. */
const LOWEST = 20_000;
const HIGHEST = 31_999;
const TRIES = 200;

/** Returns `count` different free ports of this machine. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; tries < TRIES && ports.size < count; tries++) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isPortFree(port)) ports.add(port);
  }
  if (ports.size < count) throw new Error(`No free port was found between ${LOWEST} and ${HIGHEST}.`);
  return [...ports];
}

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("no port was requested");
  return port;
}
