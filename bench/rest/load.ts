import autocannon, { type Client, type Request } from "autocannon";
import { median, percentile } from "../figures.ts";
import { cpuMs } from "../rooms/processes.ts";
import type { Served } from "./contenders.ts";

export type Extent = { rounds: number; warmUpMs: number; ms: number; connections: number };

/** Of one round. `cpuUs` is what the server's process used for one request, kernel included; `busy` its share of the core. */
export type Figures = { perSecond: number; cpuUs: number; busy: number; p50: number; p99: number };

/** Each connection asks for the next when it has an answer. Throws when an answer isn't a success. */
export async function load(served: Served, requests: Request[], extent: Extent): Promise<Figures> {
  await run(served, requests, extent, extent.warmUpMs);
  const before = cpuMs([served.pid]);
  const from = performance.now();
  const took = await run(served, requests, extent, extent.ms);
  const ms = performance.now() - from;
  const cpu = cpuMs([served.pid]) - before;
  return {
    perSecond: (took.length * 1_000) / ms,
    cpuUs: (cpu * 1_000) / took.length,
    busy: cpu / ms,
    p50: median(took),
    p99: percentile(took, 0.99),
  };
}

async function run(served: Served, requests: Request[], extent: Extent, ms: number): Promise<number[]> {
  const took: number[] = [];
  let client = 0;
  const { errors, non2xx, statusCodeStats } = await autocannon({
    url: `http://127.0.0.1:${served.port}`,
    connections: extent.connections,
    duration: ms / 1_000,
    idReplacement: requests.some(({ body }) => String(body).includes("[<id>]")),
    setupClient(one: Client) {
      const first = Math.floor((client++ * requests.length) / extent.connections);
      one.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
      one.on("response", (_status, _bytes, responseMs) => void took.push(responseMs));
    },
  });
  if (errors > 0 || non2xx > 0)
    throw new Error(`${errors} failed and ${non2xx} were refused: ${JSON.stringify(statusCodeStats)}`);
  return took;
}
