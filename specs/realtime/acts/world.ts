import { setTimeout as pause } from "node:timers/promises";
import { connectLive } from "../../../clients/typescript/src/index.ts";
import type { Subscription } from "../../../clients/typescript/src/sockets/subscription.ts";
import type { LoadScenario, Room } from "../../stress/checker/load-scenario.ts";
import type { Figures } from "../../stress/scenario.ts";
import type { Answer } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { CheckedSocket } from "../../support/frames/checked-socket.ts";
import type { Person } from "../../support/given-channels.ts";
import type { Service } from "../../support/service.ts";

/** The context of acts that are repeated until `signal`, whatever is killed. */
export type ActsWorld = { service: Service; load: LoadScenario; room: Room; signal: AbortSignal };

export type Acts = {
  /** Number of answers so far. */
  done(): number;
  /** Resolves after the last answer; rejects when an answer isn't allowed. */
  over: Promise<void>;
  /** Throws when something was lost or exists twice. */
  check(): Promise<Figures>;
  close(): void;
};

/** Starts it; a failure is reported to the caller that awaits `over`, possibly later. */
export function going(work: () => Promise<unknown>): Promise<void> {
  const over = work().then(() => undefined);
  over.catch(() => undefined);
  return over;
}

const ANSWERED_WITHIN_MS = 60_000;
const LONGEST_WAIT_MS = 2_000;

/** Null when there was no answer, since the connection broke or it timed out: the request may have taken effect. */
export async function answerOrNone(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (err) {
    const tookTooLong = err instanceof DOMException && err.name === "TimeoutError";
    // fetch throws a TypeError when a connection breaks.
    if (!(err instanceof TypeError) && !tookTooLong) throw err;
    return null;
  }
}

/** Retries until the answer is final, as clients do. Only for idempotent requests. */
export async function answerTo(ask: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + ANSWERED_WITHIN_MS;
  for (;;) {
    const answer = await answerOrNone(ask);
    const isForGood = answer !== null && answer.code !== "unavailable" && answer.code !== "rate_limited";
    if (isForGood) return answer;
    if (performance.now() > until) throw new Error(`no answer, the last was ${JSON.stringify(answer)}`);
    await pause(Math.min(Number(answer?.details.retry_after_ms ?? 100), LONGEST_WAIT_MS));
  }
}

/** A user's own events, by the reference client, which resumes when its worker dies. */
export async function receiveOwn(
  { http }: Service,
  { api }: Person,
  on: (own: Subscription<"user">) => void,
): Promise<{ restarts(): number; close(): void }> {
  const client = connectLive({
    url: http.replace(/^http/, "ws"),
    WebSocket: CheckedSocket,
    ticket: async () => (await api.ok("createWsTicket")).ticket,
  });
  const own = client.subscribe("user");
  let restarts = 0;
  own.on("subscribed", ({ data }) => {
    if (data.recovered === false) restarts += 1;
  });
  on(own);
  await eventually(() => own.isLive, { withinMs: 10_000, what: "the user's own topic is live" });
  return { restarts: () => restarts, close: () => client.close() };
}
