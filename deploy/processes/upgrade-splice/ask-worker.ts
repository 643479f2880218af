import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "../../../base/log.ts";
import { requestIdOf } from "../../../base/request-id.ts";
import { invalid } from "../../../contract/errors.ts";
import { TOKEN_HEADER } from "../../../realtime/gateway/socket/local-socket.ts";
import { firstAnswer, type WorkerAnswer } from "./first-answer.ts";
import { socketPathsIn } from "./socket-folder.ts";

/** A worker that didn't answer is tried last for this long. */
const LAST_FOR_MS = 10_000;
/** Limit of path and headers together; uWebSockets.js doesn't accept longer request heads. */
const MAX_HEAD_BYTES = 3_500;

/** The headers that a worker reads. The others aren't forwarded, such as cookies and forged client addresses. */
const FORWARDED = [
  "host",
  "origin",
  "user-agent",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-protocol",
  "sec-websocket-extensions",
] as const;
type Asking = {
  request: IncomingMessage;
  client: Duplex;
  address: string;
  socketFolder: string;
  /** See socket-folder.ts. */
  token: string;
  /** Until when workers that didn't answer are tried last, by socket path; of performance.now(). */
  slow: Map<string, number>;
  log: Log;
};

/** Asks workers in random order until one accepts the connection. Never rejects because of a worker. */
export async function askWorker(asking: Asking): Promise<WorkerAnswer> {
  const headers = headersFor(asking);
  const path = pathOf(asking.request.url ?? "/");
  const bytes = Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    path.length,
  );
  if (bytes > MAX_HEAD_BYTES) {
    const errors = [
      { path: "/header", rule: "maxLength", message: `must have at most ${MAX_HEAD_BYTES} bytes` },
    ];
    return { kind: "refused", error: invalid(...errors) };
  }
  const paths = shuffled(await socketPathsIn(asking.socketFolder));
  const isSlow = (socketPath: string) => (asking.slow.get(socketPath) ?? 0) > performance.now();
  const order = [...paths.filter((one) => !isSlow(one)), ...paths.filter(isSlow)];
  const onSilent = (socketPath: string) => noteSlow(asking.slow, socketPath);
  return firstAnswer(order, { path, headers }, { client: asking.client, log: asking.log, onSilent });
}

function headersFor({ request, address, token }: Asking): Record<string, string> {
  const headers: Record<string, string> = { connection: "Upgrade", upgrade: "websocket" };
  for (const name of FORWARDED) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  // An invalid request id is replaced here, whatever its length.
  headers["x-request-id"] = requestIdOf(request.headers["x-request-id"]);
  headers["x-forwarded-for"] = address;
  headers[TOKEN_HEADER] = token;
  return headers;
}

function noteSlow(slow: Map<string, number>, socketPath: string): void {
  const now = performance.now();
  for (const [path, until] of slow) if (until <= now) slow.delete(path);
  slow.set(socketPath, now + LAST_FOR_MS);
}

/** A request target may be an absolute URL (RFC 9112, 3.2.2); workers need only the path. */
function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  const address = URL.canParse(target) ? new URL(target) : null;
  return address ? address.pathname + address.search : "/";
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
