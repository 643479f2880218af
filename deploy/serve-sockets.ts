import { predictionView } from "../actors/prediction/view.ts";
import { startGateway } from "../realtime/gateway/gateway.ts";
import type { GatewayLimits } from "../realtime/gateway/types.ts";
import type { Config } from "./config/config.ts";
import type { Core } from "./core.ts";

/** The socket tier on its port, with the slices of the domain that it needs. */
export function serveSockets(deps: {
  core: Core;
  config: Pick<Config, "realtime" | "limits">;
  limits?: Partial<GatewayLimits>;
}) {
  const { core, config } = deps;
  return startGateway({
    port: config.realtime.port,
    rooms: core.rooms,
    presence: core.presence,
    userEvents: core.userEvents,
    control: core.control,
    streams: core.streams,
    identity: core.identity,
    predictions: {
      async openView(streamId) {
        const open = await core.predictions.openOf(streamId);
        return open ? predictionView(open) : null;
      },
    },
    watching: core.watching,
    moderation: core.moderation,
    limits: { socketsPerIp: 100 * config.limits.factor, ...deps.limits },
    allowedOrigins: config.realtime.allowedOrigins,
    trustedProxies: config.realtime.trustedProxies,
    log: core.log,
  });
}
