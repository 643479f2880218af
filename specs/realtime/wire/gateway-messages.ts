import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import type { GatewayLimits } from "../../../realtime/gateway/socket/limits.ts";
import { hasFields } from "../../stress/parent.ts";

/** `arrivalsOf`: rooms whose events' arrival times in the process are recorded. */
export type GatewayInput = { database: string; limits: Partial<GatewayLimits>; arrivalsOf: string[] };

/** `collect`: free garbage. `look`: report the current state. */
export type GatewayOrder = { order: "collect" } | { order: "look"; id: number };

export type GatewayLook = {
  answer: number;
  usage: { cpuMs: number; rss: number };
  stats: ReturnType<Gateway["stats"]>;
  /** Event loop delay since the last look, ms. */
  loopP99Ms: number;
  loopMostMs: number;
  /** Number of calls by Redis command, and of the stubs above. */
  calls: Record<string, number>;
  arrivals: [streamId: string, seq: number, at: number][];
};

export function isGatewayOrder(message: unknown): message is GatewayOrder {
  return hasFields(message, "order") && ["collect", "look"].includes(String(message.order));
}

export function isListening(message: unknown): message is { port: number } {
  return hasFields(message, "port");
}

export function isLook(message: unknown): message is GatewayLook {
  return hasFields(message, "answer", "usage", "stats", "calls", "arrivals");
}
