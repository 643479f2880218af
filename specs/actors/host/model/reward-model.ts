import { REDEMPTION_EXPIRY_MS } from "./acts.ts";
import { type Answer, refused } from "./answer.ts";
import type { Offered } from "./operations.ts";

type Status = "pending" | "fulfilled" | "refunded";
type Redemption = { index: number; reward: number; by: number; cost: number; status: Status; at: number };

export type Reward = Offered & { index: number; isDeleted: boolean; redeemedAt: number };

/** The account that pays the price and gets refunds. */
type Purse = { balance(user: number): number; credit(user: number, delta: number): void };

/** A redemption as a caller sees it. */
export const redemptionSeen = ({ index, reward, by, cost, status }: Omit<Redemption, "at">): string =>
  `${index}: reward ${reward} by ${by} for ${cost} ${status}`;

/** Rewards and redemptions as the lifecycles describe them. */
export class RewardModel {
  readonly rewards: Reward[] = [];
  readonly redemptions: Redemption[] = [];
  readonly #purse: Purse;

  constructor(purse: Purse) {
    this.#purse = purse;
  }

  standing(): string[] {
    return this.redemptions.map(redemptionSeen);
  }

  offer(offered: Offered): Answer {
    const index = this.rewards.length;
    this.rewards.push({ ...offered, index, isDeleted: false, redeemedAt: Number.NEGATIVE_INFINITY });
    return ok(`reward ${index}`);
  }

  redeem(reward: Reward, by: number, now: number): Answer {
    if (reward.isDeleted) return refused("not_found");
    const { cost, perUser, cooldownSeconds, skips } = reward;
    const leftMs = reward.redeemedAt + (cooldownSeconds ?? 0) * 1_000 - now;
    if (leftMs > 0) return refused("cooldown", { retry_after_ms: leftMs });
    const own = this.redemptions.filter((one) => one.reward === reward.index && one.by === by);
    if (perUser !== null && own.length >= perUser)
      return refused("redemption_limit", { limit: perUser, per: "user" });
    const balance = this.#purse.balance(by);
    if (cost > balance) return refused("insufficient_points", { balance });
    this.#purse.credit(by, -cost);
    reward.redeemedAt = now;
    const status: Status = skips ? "fulfilled" : "pending";
    const redemption = { index: this.redemptions.length, reward: reward.index, by, cost, status, at: now };
    this.redemptions.push(redemption);
    return ok(redemptionSeen(redemption));
  }

  decide(redemption: Redemption, decision: "fulfil" | "refund"): Answer {
    const { status } = redemption;
    if (status !== "pending") return refused("invalid_state", { status });
    if (decision === "fulfil") redemption.status = "fulfilled";
    else this.#refund(redemption);
    return ok(redemptionSeen(redemption));
  }

  delete(reward: Reward): Answer {
    if (reward.isDeleted) return refused("not_found");
    reward.isDeleted = true;
    return ok(`reward ${reward.index}`);
  }

  /** Refunds what is pending of a deleted reward. */
  settle({ index }: Reward): void {
    for (const one of this.redemptions) {
      if (one.reward === index && one.status === "pending") this.#refund(one);
    }
  }

  /** Refunds redemptions that weren't decided in time. */
  expire(now: number): void {
    for (const one of this.redemptions) {
      if (one.status === "pending" && one.at + REDEMPTION_EXPIRY_MS <= now) this.#refund(one);
    }
  }

  #refund(redemption: Redemption): void {
    redemption.status = "refunded";
    this.#purse.credit(redemption.by, redemption.cost);
  }
}

const ok = (text: string): Answer => ({ ok: text, bet: null, balance: null });
