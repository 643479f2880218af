import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ingestNetworks } from "../actors/ingest/networks.ts";
import { createApp } from "../api/http/app.ts";
import type { Answered } from "../api/http/context.ts";
import { registerRoutes } from "../api/routes.ts";
import type { Config } from "./config/config.ts";
import type { Core } from "./core.ts";
import { drainHttp } from "./drain-http.ts";
import { spliceUpgrades } from "./upgrade-splice.ts";

/** How long clients may take to leave by themselves once the drain has begun, and how long requests after it. */
const LINGER_MS = 3_000;
const FINISH_MS = 5_000;
/** Sockets that pass through here are ended over this long at most. */
const SPREAD_MS = 4_000;

export type ApiServer = Awaited<ReturnType<typeof serveApi>>;

/** The REST interface on its port, with WebSocket upgrades handed over to the realtime workers of this machine. */
export async function serveApi(deps: {
  core: Core;
  config: Pick<Config, "http" | "realtime" | "limits" | "secrets" | "ingest">;
  checkResponses?: boolean;
  onAnswered?: (answered: Answered) => void;
}) {
  const { core, config } = deps;
  const { http, limits, secrets, ingest } = config;
  const { app, operations } = createApp({
    identity: core.identity,
    redis: core.redis,
    log: core.log,
    systemKey: secrets.systemKey.reveal(),
    allowedOrigins: http.allowedOrigins,
    trustedProxies: http.trustedProxies,
    rateLimitFactor: limits.factor,
    checkResponses: deps.checkResponses ?? false,
    ...(deps.onAnswered ? { onAnswered: deps.onAnswered } : {}),
  });
  registerRoutes(operations, {
    ...core,
    cookies: { domain: http.cookieDomain, insecure: http.insecureCookies },
    networks: ingestNetworks(ingest.networks),
  });

  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
    app,
  );
  const splice = spliceUpgrades(server, { realtimePort: config.realtime.port, log: core.log });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(http.port, () => {
      server.off("error", failed);
      listening();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    sockets: () => splice.count(),
    /** Ends what was spliced, takes no new connection, and finishes the requests under way. */
    async drain(): Promise<void> {
      await Promise.all([
        splice.close(SPREAD_MS),
        drainHttp(server, { lingerMs: LINGER_MS, finishMs: FINISH_MS }),
      ]);
    },
  };
}
