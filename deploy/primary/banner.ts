import type { Config } from "../config/config.ts";

/** What a person at the terminal wants to know once everything runs. */
export function banner(config: Config, startedInMs: number): string {
  const http = `http://localhost:${config.http.port}`;
  const { api, realtime, jobs } = config.workers;
  return [
    "",
    `livecore is ready (${(startedInMs / 1_000).toFixed(1)} s): ${api} api, ${realtime} realtime, ${jobs} jobs workers.`,
    `  REST      ${http}/v1`,
    `  Docs      ${http}/docs`,
    `  Sockets   ws://localhost:${config.http.port}/v1/ws`,
    `  Internal  http://${config.metrics.host}:${config.metrics.port}/readyz and /metrics`,
    `  Try       curl -s ${http}/v1/streams`,
    "  Or        npm run demo",
    "Ctrl-C stops it.",
    "",
  ].join("\n");
}
