import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "../../../base/log.ts";
import { type ServiceError, unavailable } from "../../../contract/errors.ts";
import { STORE_TIMEOUT_MS } from "../../../realtime/gateway/socket/deadline.ts";
import type { Relayed } from "./answer.ts";

/** Deadline for all workers together: a live one has answered by then, even when a store that it needs hangs. */
const ANSWERS_WITHIN_MS = STORE_TIMEOUT_MS + 1_000;
/** A worker that has been silent for this long waits for a store, or hangs: the next one is tried in parallel. */
const SILENT_MS = 3_000;
const MAX_BODY_BYTES = 16 * 1024;

/** The headers of a worker's plain response that are relayed to the client. */
const RELAYED = /^(content-type|cache-control|retry-after|ratelimit-[a-z]+|x-request-id)$/;

export type WorkerAnswer =
  | { kind: "switched"; upstream: Duplex; head: string; first: Buffer }
  | ({ kind: "refused" } & (Relayed | { error: ServiceError }));

/**
 * The first response from one of `socketPaths`, tried in this order. The next one is tried once the one before has failed or has
 * been silent for a while. With a ticket a silent worker is waited for alone, since it may have consumed the ticket, which is
 * valid once. Never rejects. Aborts all attempts when the client leaves.
 */
export function firstAnswer(
  socketPaths: readonly string[],
  of: { path: string; headers: Record<string, string> },
  deps: { client: Duplex; log: Log; onSilent: (socketPath: string) => void },
): Promise<WorkerAnswer> {
  const { client, log, onSilent } = deps;
  const hasTicket = /[?&]ticket=/.test(of.path);
  const waiting = [...socketPaths];
  const running = new Set<ClientRequest>();
  let latest: ClientRequest | null = null;
  return new Promise((resolve) => {
    let silence: NodeJS.Timeout | undefined;
    const settle = (answer: WorkerAnswer) => {
      clearTimeout(silence);
      clearTimeout(overdue);
      client.off("close", left);
      const others = [...running];
      running.clear();
      for (const attempt of others) attempt.destroy();
      resolve(answer);
    };
    const left = () => settle({ kind: "refused", error: unavailable() });
    const giveUp = (reason: string) => {
      log.warn({ workers: socketPaths.length, reason }, "an upgrade found no realtime worker");
      settle({ kind: "refused", error: unavailable() });
    };
    const overdue = setTimeout(giveUp, ANSWERS_WITHIN_MS, "no answer in time");

    function askNext(): void {
      clearTimeout(silence);
      const socketPath = waiting.shift();
      if (socketPath === undefined) {
        if (running.size === 0) giveUp("none is left to ask");
        return;
      }
      const noteSilent = (reason: string) => {
        log.warn({ reason }, "a realtime worker didn't answer an upgrade");
        onSilent(socketPath);
      };
      const attempt = httpRequest({ ...of, socketPath, agent: false });
      running.add(attempt);
      latest = attempt;
      silence = setTimeout(() => {
        noteSilent("no answer in time");
        if (!hasTicket) askNext();
      }, SILENT_MS);
      attempt.once("upgrade", (response, upstream, first) => {
        running.delete(attempt);
        settle({ kind: "switched", upstream, head: switchingHead(response), first });
      });
      attempt.once("response", (response) => {
        relayed(response).then(
          (answer) => settle({ kind: "refused", ...answer }),
          (err: Error) => {
            if (!running.delete(attempt)) return;
            attempt.destroy();
            noteSilent(err.message);
            if (hasTicket) giveUp(err.message);
            else if (attempt === latest || running.size === 0) askNext();
          },
        );
      });
      attempt.on("error", (err) => {
        if (!running.delete(attempt)) return;
        log.debug({ err }, "a realtime worker has gone");
        // If it isn't the latest attempt, the next one has been started already.
        if (attempt === latest || running.size === 0) askNext();
      });
      attempt.end();
    }

    if (client.destroyed) return left();
    client.once("close", left);
    askNext();
  });
}

function switchingHead({ rawHeaders }: IncomingMessage): string {
  const lines = ["HTTP/1.1 101 Switching Protocols"];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Rejects above the limit, which none of our responses reaches. */
async function relayed(response: IncomingMessage): Promise<Relayed> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new Error("the answer is too long");
    parts.push(part);
  }
  const headers = Object.entries(response.headers).flatMap(([name, value]) =>
    typeof value === "string" && RELAYED.test(name) ? [[name, value] as const] : [],
  );
  return { status: response.statusCode ?? 502, headers, body: Buffer.concat(parts) };
}
