import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/** What happens to a POST: the service gets it or not, and this is answered in place of its answer. */
type Refusal = { status: 429 | 503; isLost: boolean };
type Sent = { at: number; headers: IncomingMessage["headers"]; body: string };

/** Seconds; `Retry-After` of each refusal. */
export const RETRY_AFTER = 2;

/** A front of the service that refuses POSTs as planned, and notes what was sent. */
export async function openRefusingFront(service: string) {
  const planned: Refusal[] = [];
  const sent: Sent[] = [];
  const closing = new AbortController();

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = req.method === "POST" ? (await buffer(req)).toString() : "";
    const refusal = req.method === "POST" ? planned.shift() : undefined;
    if (req.method === "POST") sent.push({ at: performance.now(), headers: req.headers, body });
    const answer = refusal?.isLost === false ? null : await forwarded(req, body);
    if (refusal || !answer) {
      res.writeHead(refusal?.status ?? 502, { "retry-after": String(RETRY_AFTER) }).end();
      return;
    }
    res.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  }

  const forwarded = ({ method = "GET", url = "/", headers }: IncomingMessage, body: string) =>
    fetch(`${service}${url}`, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        typeof value === "string" && !["host", "connection", "content-length"].includes(name)
          ? [[name, value]]
          : [],
      ),
      ...(method === "POST" ? { body } : {}),
      signal: closing.signal,
    });

  const server = createServer((req, res) => {
    serve(req, res).catch(() => res.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the front has no port");
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    sent,
    plan: (...refusals: Refusal[]) => void planned.push(...refusals),
    async close(): Promise<void> {
      const closed = new Promise<void>((done) => void server.close(() => done()));
      closing.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}
