import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import type { GatewayLimits } from "../../../realtime/gateway/socket/limits.ts";
import { hasFields } from "../../stress/parent.ts";

/** `arrivalsOf`: rooms of which it notes when their events came to the process. */
export type GatewayInput = { database: string; limits: Partial<GatewayLimits>; arrivalsOf: string[] };

/** `burn`: keep the event loop busy for that share of its time. `look`: tell how things are. */
export type GatewayOrder = { order: "burn"; share: number } | { order: "look"; id: number };

export type GatewayLook = {
  answer: number;
  usage: { cpuMs: number; rss: number };
  stats: ReturnType<Gateway["stats"]>;
  /** By how much timers of the process were late since the last look, ms. */
  loopP99Ms: number;
  loopMostMs: number;
  /** How often each command was sent to Redis, and the prediction asked for. */
  asked: Record<string, number>;
  arrivals: [streamId: string, seq: number, at: number][];
};

export function isGatewayOrder(message: unknown): message is GatewayOrder {
  return hasFields(message, "order") && (message.order === "burn" || message.order === "look");
}

export function isListening(message: unknown): message is { port: number } {
  return hasFields(message, "port");
}

export function isLook(message: unknown): message is GatewayLook {
  return hasFields(message, "answer", "usage", "stats", "asked", "arrivals");
}
