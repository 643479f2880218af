import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { TOKEN_HEADER } from "../../realtime/gateway/local-socket.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Log } from "../../store/log.ts";
import { socketPathsIn } from "../socket-folder.ts";
import type { Relayed } from "./answer.ts";

/** A worker takes a connection at once or isn't there; its answer may wait for a store, but not for one that hangs. */
const ANSWERS_WITHIN_MS = 3_000;
/** One that didn't answer is asked after all others for so long. */
const LAST_FOR_MS = 10_000;
/** uWebSockets.js takes no longer heads. */
const MOST_HEAD_BYTES = 3_500;
const MOST_BODY_BYTES = 16 * 1024;

/** What a worker reads of an upgrade's head; the rest stays here, cookies and made-up addresses with it. */
const FORWARDED = [
  "host",
  "origin",
  "user-agent",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-protocol",
  "sec-websocket-extensions",
] as const;
/** What a worker's plain answer may tell the client. */
const RELAYED = /^(content-type|cache-control|retry-after|ratelimit-[a-z]+|x-request-id)$/;

export type WorkerAnswer =
  | { kind: "switched"; upstream: Duplex; head: string; first: Buffer }
  | ({ kind: "refused" } & (Relayed | { error: ServiceError }));

type Asking = {
  request: IncomingMessage;
  client: Duplex;
  address: string;
  socketFolder: string;
  /** See socket-folder.ts. */
  token: string;
  /** When workers that didn't answer may be asked like others again, by their sockets; of performance.now(). */
  slow: Map<string, number>;
  log: Log;
};

/** Asks workers in random order until one takes the connection. Never rejects because of one. */
export async function askWorker(asking: Asking): Promise<WorkerAnswer> {
  const headers = headersFor(asking);
  const path = pathOf(asking.request.url ?? "/");
  const bytes = Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    path.length,
  );
  if (bytes > MOST_HEAD_BYTES) {
    const errors = [
      { path: "/header", rule: "maxLength", message: `must have at most ${MOST_HEAD_BYTES} bytes` },
    ];
    return { kind: "refused", error: new ServiceError("validation_failed", { errors }) };
  }
  const paths = shuffled(await socketPathsIn(asking.socketFolder));
  const isSlow = (socketPath: string) => (asking.slow.get(socketPath) ?? 0) > performance.now();
  for (const socketPath of [...paths.filter((one) => !isSlow(one)), ...paths.filter(isSlow)]) {
    const answer = await ask({ socketPath, path, headers }, asking);
    if (answer !== "gone") return answer;
  }
  asking.log.warn({ workers: paths.length }, "an upgrade found no realtime worker");
  return { kind: "refused", error: unavailable() };
}

const unavailable = () => new ServiceError("unavailable", { retry_after_ms: 1_000 });

function headersFor({ request, address, token }: Asking): Record<string, string> {
  const headers: Record<string, string> = { connection: "Upgrade", upgrade: "websocket" };
  for (const name of FORWARDED) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  headers["x-forwarded-for"] = address;
  headers[TOKEN_HEADER] = token;
  return headers;
}

/** "gone": nobody listens there any more, or who did went without an answer. */
function ask(
  of: { socketPath: string; path: string; headers: Record<string, string> },
  { client, log, slow }: Asking,
): Promise<WorkerAnswer | "gone"> {
  return new Promise((resolve) => {
    const asked = httpRequest({ ...of, agent: false });
    const giveUp = (reason: string) => {
      log.warn({ reason }, "a realtime worker didn't answer an upgrade");
      noteSlow(slow, of.socketPath);
      // Another one may be asked, unless this one may have taken a ticket, which is good once.
      if (!/[?&]ticket=/.test(of.path)) settle("gone");
      settle({ kind: "refused", error: unavailable() });
      asked.destroy();
    };
    const left = () => asked.destroy();
    const overdue = setTimeout(giveUp, ANSWERS_WITHIN_MS, "no answer in time");
    const settle = (answer: WorkerAnswer | "gone") => {
      clearTimeout(overdue);
      client.off("close", left);
      resolve(answer);
    };
    client.once("close", left);
    asked.once("upgrade", (response, upstream, first) =>
      settle({ kind: "switched", upstream, head: switchingHead(response), first }),
    );
    asked.once("response", (response) => {
      relayed(response).then(
        (answer) => settle({ kind: "refused", ...answer }),
        (err: Error) => giveUp(err.message),
      );
    });
    asked.on("error", (err) => {
      if (client.destroyed) return settle({ kind: "refused", error: unavailable() });
      log.debug({ err }, "a realtime worker has gone");
      settle("gone");
    });
    asked.end();
  });
}

function noteSlow(slow: Map<string, number>, socketPath: string): void {
  const now = performance.now();
  for (const [path, until] of slow) if (until <= now) slow.delete(path);
  slow.set(socketPath, now + LAST_FOR_MS);
}

/** A target may be a whole address (RFC 9112, 3.2.2), of which a worker wants the path. */
function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  const address = URL.canParse(target) ? new URL(target) : null;
  return address ? address.pathname + address.search : "/";
}

function switchingHead({ rawHeaders }: IncomingMessage): string {
  const lines = ["HTTP/1.1 101 Switching Protocols"];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Rejects past the bound, which none of our answers reaches. */
async function relayed(response: IncomingMessage): Promise<Relayed> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BODY_BYTES) throw new Error("the answer is too long");
    parts.push(part);
  }
  const headers = Object.entries(response.headers).flatMap(([name, value]) =>
    typeof value === "string" && RELAYED.test(name) ? [[name, value] as const] : [],
  );
  return { status: response.statusCode ?? 502, headers, body: Buffer.concat(parts) };
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
