import { urlHostOf } from "../../store/this-machine.ts";
import type { Config } from "../config/config.ts";

/** The text for the person at the terminal once everything runs. */
export function banner(
  config: Config,
  { startedInMs, hasMailbox }: { startedInMs: number; hasMailbox: boolean },
): string {
  const host = shownHost(config.http.host);
  const http = `http://${host}:${config.http.port}`;
  const { api, realtime, jobs } = config.workers;
  return [
    "",
    `livecore is ready (${(startedInMs / 1_000).toFixed(1)} s): ${api} api, ${realtime} realtime, ${jobs} jobs workers.`,
    `  REST      ${http}/v1`,
    `  Docs      ${http}/docs`,
    `  Sockets   ws://${host}:${config.http.port}/v1/ws`,
    `  Internal  http://${urlHostOf(config.metrics.host)}:${config.metrics.port}/readyz and /metrics`,
    ...(hasMailbox
      ? [`  Mail      http://${urlHostOf(config.metrics.host)}:${config.metrics.port}/mail`]
      : []),
    `  Try       curl -s ${http}/v1/streams`,
    "  Or        npm run demo",
    "Ctrl-C stops it.",
    "",
  ].join("\n");
}

/** The host to show: a wildcard address includes loopback, so users can say localhost. */
function shownHost(host: string | null): string {
  if (host === null || ["127.0.0.1", "::1", "0.0.0.0", "::"].includes(host)) return "localhost";
  return urlHostOf(host);
}
