import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { AggregatorRegistry, type Registry } from "prom-client";
import type { Log } from "../../../base/log.ts";
import { namesThisMachine, WRONG_HOST } from "../process/local-host.ts";
import type { WorkerCount } from "./supervisor.ts";

type Readiness = { ready: boolean; checks: Record<string, string> };

/** The port for operators: `/readyz` (200 or 503) and `/metrics`, aggregated over all workers. Never make it public. */
export function startInternalServer(options: {
  port: number;
  host: string;
  log: Log;
  readiness: () => Promise<Readiness>;
  /** The primary's own metrics. */
  own: Registry;
  workers: () => Promise<object[][]>;
  /** Handles paths below `/checkout/`; only outside production. */
  checkout: RequestListener | null;
  /** Handles `/mail`, `/mail.json` and paths below `/mail/`, when mails are kept here. */
  mailbox: RequestListener | null;
}): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0];
    const page = pageOf(path ?? "", options);
    if (page) {
      // Mails contain links that sign in, so pages for developers answer no other name. Operators' probes may use any.
      if (namesThisMachine(request.headers.host, options.host)) return page(request, response);
      return send(response, 421, "text/plain", WRONG_HOST);
    }
    const answer = path === "/readyz" ? readyz : path === "/metrics" ? metrics : notFound;
    answer(response, options).catch((err: unknown) => {
      options.log.error({ err, path }, "an internal request failed");
      send(response, 500, "text/plain", "It failed; see the log.\n");
    });
  });
  return listen(server, options);
}

function pageOf(path: string, { checkout, mailbox }: Options): RequestListener | null {
  if (path.startsWith("/checkout/")) return checkout;
  return /^\/mail(\.json|\/.*)?$/.test(path) ? mailbox : null;
}

type Options = Parameters<typeof startInternalServer>[0];

async function readyz(response: ServerResponse, { readiness }: Options): Promise<void> {
  const { ready, checks } = await readiness();
  const body = `${JSON.stringify({ status: ready ? "ok" : "unavailable", checks })}\n`;
  send(response, ready ? 200 : 503, "application/json", body);
}

async function metrics(response: ServerResponse, { own, workers }: Options): Promise<void> {
  const all = AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...(await workers())]);
  send(response, 200, all.contentType, await all.metrics());
}

async function notFound(response: ServerResponse): Promise<void> {
  send(response, 404, "text/plain", "Here are /readyz and /metrics.\n");
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "Content-Type": type, "Cache-Control": "no-store" }).end(body);
}

function listen(server: Server, { port, host }: Options): Promise<{ port: number; close(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // Exclusive: in a cluster primary a port is otherwise no different, but it says what is meant.
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

export const workerChecks = (counts: readonly WorkerCount[]): Readiness => ({
  ready: counts.every(({ ready, wanted }) => ready > 0 || wanted === 0),
  checks: Object.fromEntries(counts.map(({ kind, ready, wanted }) => [kind, `${ready}/${wanted}`])),
});
