import { hasFields } from "../../../stress/parent.ts";

/** A writer's request to an api worker; the key makes it idempotent. */
export type Order = { key: string } & (
  | { type: "open"; streamId: string }
  | { type: "bet"; predictionId: string; outcomeId: string; amount: number; userId: string }
  | { type: "lock" | "cancel"; predictionId: string; by: string }
  | { type: "resolve"; predictionId: string; outcomeId: string; by: string }
  | { type: "openPoll"; streamId: string }
  /** Without a key: a vote is idempotent by itself. */
  | { type: "vote"; pollId: string; optionId: string; userId: string }
  | { type: "endPoll"; pollId: string; by: string }
  /** The key is the window. */
  | { type: "earn"; userId: string; channelUserId: string; streamId: string }
);

export type WorkerInput = { database: string; list: string; role: "api" | "jobs" };

export type OrderRequest = { id: number; order: Order };

/** `body` is JSON: {"ok": …} or {"refused": code}; null = the outcome isn't known, retry. */
type OrderReply = { id: number; body: string | null };

export const isOrderRequest = (message: unknown): message is OrderRequest =>
  hasFields(message, "id", "order");
export const isOrderReply = (message: unknown): message is OrderReply => hasFields(message, "id", "body");
