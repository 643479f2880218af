import { urlHostOf } from "../../../base/this-machine.ts";
import type { Config } from "../config/config.ts";

type Facts = { startedInMs: number; hasMailbox: boolean; pid: number; pidFile: string | null };

/** The text for the person at the terminal once everything runs. */
export function banner(config: Config, { startedInMs, hasMailbox, pid, pidFile }: Facts): string {
  const isProduction = config.env === "production";
  const listening = `http://${shownHost(config.http.host)}:${config.http.port}`;
  const http = isProduction ? config.publicUrl : listening;
  const internal = internalUrl(config);
  const { api, realtime, jobs } = config.workers;
  const signalled = `${pid}${pidFile === null ? "" : ` (${pidFile})`}`;
  return [
    "",
    `livecore is ready (${(startedInMs / 1_000).toFixed(1)} s): ${api} api, ${realtime} realtime, ${jobs} jobs workers.`,
    `  Open      ${http}/`,
    `  REST      ${http}/v1`,
    `  Docs      ${http}/docs`,
    `  Sockets   ${http.replace(/^http/, "ws")}/v1/ws`,
    ...(isProduction
      ? [`  Listens   on ${config.http.host ?? "all addresses"}, port ${config.http.port}`]
      : []),
    `  Internal  ${internal}/readyz and /metrics`,
    ...(hasMailbox ? [`  Mail      ${internal}/mail`] : []),
    `  Try       curl -s ${http}/v1/streams`,
    ...(isProduction ? [] : ["  Or        npm run demo"]),
    `  Process   ${signalled}: SIGTERM stops it, SIGUSR2 replaces its workers`,
    ...(isProduction ? [] : ["Ctrl-C stops it."]),
    "",
  ].join("\n");
}

/** The address of the internal port. */
export const internalUrl = ({ metrics }: Config): string =>
  `http://${urlHostOf(metrics.host)}:${metrics.port}`;

/** The host to show: a wildcard address includes loopback, so users can say localhost. */
function shownHost(host: string | null): string {
  if (host === null || ["127.0.0.1", "::1", "0.0.0.0", "::"].includes(host)) return "localhost";
  return urlHostOf(host);
}
