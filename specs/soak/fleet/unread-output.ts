import assert from "node:assert/strict";
import { withService } from "../../realtime/failures/with-service.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import type { Service } from "../../support/service.ts";
import { givenAt } from "./host.ts";
import { openPrediction } from "./prediction.ts";

type UnreadOutputOptions = {
  /** Requests while nobody reads; each is a line or more. */
  requests: number;
  /** Seconds until a prediction locks meanwhile; 30 is the least. */
  seconds: number;
};

const AT_ONCE = 20;

/**
 * A whole service at the lowest log level whose standard output isn't read any more: it answers every request, its health checks
 * too, and a prediction locks in time. Lines are dropped and counted, and told once it is read again. Throws otherwise.
 */
export async function runUnreadOutput(
  { requests, seconds }: UnreadOutputOptions,
  print: Print,
): Promise<Figures> {
  return withService({ LOG_LEVEL: "debug" }, async (service) => {
    const channel = await givenAt(service).channel();
    const resumeReading = service.stopReading();
    const prediction = await openPrediction(channel, seconds);
    const [worstMs, lateMs] = await Promise.all([askAll(service, requests), prediction.lateMs()]);
    await eventually(async () => (await droppedLines(service)) > 0, { what: "lines are dropped" });
    print(
      `${requests} requests were answered, the slowest after ${worstMs} ms; the lock was ${lateMs} ms late`,
    );

    resumeReading();
    const told = () => service.output().includes("log lines dropped: standard output full or unread");
    await eventually(told, { withinMs: 20_000, what: "the dropped lines are told" });
    return { requests, worstMs, lateMs, droppedLines: await droppedLines(service) };
  });
}

/** Asks for streams, which makes a log line, and for health in turn; returns the slowest answer's time, ms. */
async function askAll({ http, internal }: Service, requests: number): Promise<number> {
  const streams = `${http}/v1/streams`;
  const urls = [streams, `${http}/healthz`, streams, `${http}/livez`, streams, `${internal}/readyz`];
  let begun = 0;
  let worstMs = 0;
  const ask = async () => {
    while (begun < requests) {
      const url = urls[begun++ % urls.length] ?? "";
      const startedAt = performance.now();
      const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
      await response.arrayBuffer();
      assert.equal(response.status, 200, url);
      worstMs = Math.max(worstMs, Math.round(performance.now() - startedAt));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return worstMs;
}

/** Of all processes of the service. */
async function droppedLines({ internal }: Service): Promise<number> {
  const metrics = await (await fetch(`${internal}/metrics`)).text();
  return [...metrics.matchAll(/^livecore_log_lines_dropped_total(?:\{[^}]*\})? (\d+)/gm)].reduce(
    (sum, [, lines]) => sum + Number(lines),
    0,
  );
}
