import type { components } from "@livecore/client";
import { serverNow } from "../site/service-clock.ts";

export type Reward = components["schemas"]["ChannelReward"];

/** What keeps a reader from redeeming a reward now. */
export type Bar =
  | { why: "paused" | "soldOut" | "limitReached" }
  | { why: "cooldown"; until: number }
  | { why: "points"; missing: number };

/** What is known of rewards beside the list that was read: by events of the room, and by refusals. */
export type Known = {
  /** By reward, when its cooldown ends, Unix ms. */
  readyAt: ReadonlyMap<string, number>;
  /** By reward, how often it was redeemed since the list was read. */
  redeemed: ReadonlyMap<string, number>;
  /** Rewards that this reader has redeemed as often as a broadcast allows. */
  limited: ReadonlySet<string>;
};

export const NOTHING_KNOWN: Known = { readyAt: new Map(), redeemed: new Map(), limited: new Set() };

/** How often it can still be redeemed in this broadcast; null without a limit. */
export const leftOf = ({ id, left_in_broadcast: left = null }: Reward, { redeemed }: Known): number | null =>
  left === null ? null : Math.max(0, left - (redeemed.get(id) ?? 0));

/** When its cooldown ends, Unix ms; 0 if none is known. */
const readyAtOf = ({ id, cooldown_ends_at: ends = null }: Reward, { readyAt }: Known): number =>
  Math.max(readyAt.get(id) ?? 0, ends === null ? 0 : Date.parse(ends));

/** The first thing that keeps a reader from redeeming it; null if nothing is known. */
export function redeemBarOf(reward: Reward, known: Known, balance: number | null): Bar | null {
  if (reward.is_paused || !reward.is_enabled) return { why: "paused" };
  if (leftOf(reward, known) === 0) return { why: "soldOut" };
  if (known.limited.has(reward.id)) return { why: "limitReached" };
  const until = readyAtOf(reward, known);
  if (until > serverNow()) return { why: "cooldown", until };
  if (balance !== null && balance < reward.cost) return { why: "points", missing: reward.cost - balance };
  return null;
}
