import { clientAddressBehind, networksFrom } from "../../../base/addresses.ts";
import type { GatewayDeps } from "../../../realtime/gateway/deps.ts";
import { startGateway } from "../../../realtime/gateway/gateway.ts";
import { type GatewayLimits, limitsByAddress } from "../../../realtime/gateway/socket/limits.ts";
import type { Config } from "../config/config.ts";
import { openFilesBudget } from "../process/open-files.ts";
import { newLocalSocket } from "../upgrade-splice/socket-folder.ts";
import type { Core } from "./core.ts";

/** Serves the WebSocket gateway on its port, with the parts of the domain that it needs. */
export function serveSockets(deps: {
  core: Core;
  config: Pick<Config, "realtime" | "limits">;
  /** Where the api workers of this machine look for realtime workers. */
  socketFolder: string;
  limits?: Partial<GatewayLimits>;
  /** See `GatewayDeps`; omitted where there is no primary. */
  isRedisElsewhere?: () => boolean;
  onRefused?: NonNullable<GatewayDeps["onRefused"]>;
}) {
  const { core, config } = deps;
  return startGateway({
    port: config.realtime.port,
    localSocket: newLocalSocket(deps.socketFolder),
    ...(config.realtime.host === null ? {} : { host: config.realtime.host }),
    redis: core.redis,
    isRedisElsewhere: deps.isRedisElsewhere ?? (() => false),
    rooms: core.rooms,
    presence: core.presence,
    userEvents: core.userEvents,
    control: core.control,
    streams: core.streams,
    tokens: core.tokens,
    directory: core.directory,
    staff: core.staff,
    staffLog: core.staffLog,
    roomStates: [...core.roomStates, core.hosting.roomState],
    raids: core.raids,
    watching: core.watching,
    moderation: core.moderation,
    limits: {
      ...limitsByAddress(config.limits.factor),
      sendBufferBytes: config.realtime.sendBufferBytes,
      ...deps.limits,
    },
    maxSockets: openFilesBudget().sockets,
    allowedOrigins: config.realtime.allowedOrigins,
    clientAddress: clientAddressBehind(networksFrom(config.realtime.trustedProxies)),
    ...(deps.onRefused ? { onRefused: deps.onRefused } : {}),
    clock: core.clock,
    log: core.log,
  });
}
