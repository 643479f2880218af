import type { Outcome } from "../../../../actors/host/request.ts";
import type { RewardAnswer } from "../../../../actors/points/reward/effects.ts";
import type { RedemptionDoc } from "../../../../store/mongo/points/redemptions.ts";
import type { Answer } from "./answer.ts";
import type { MemoryRequest } from "./memory-host.ts";
import type { Names } from "./names.ts";
import type { Redeem, Step } from "./operations.ts";
import { redemptionSeen } from "./reward-model.ts";

type Deps = {
  names: Names;
  newId(kind: string): string;
  /** In order of purchase. */
  redemptions: ReadonlyMap<string, RedemptionDoc>;
};

type Plan = { actor: string; asks: Redeem[]; requestOf(one: Redeem): MemoryRequest };

/** The part of the pure subject that concerns rewards. */
export class PureRewards {
  readonly #deps: Deps;
  /** Newest last. */
  readonly #rewards: string[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  standing(): string[] {
    return [...this.#deps.redemptions.values()].map((doc) => this.#seen(doc));
  }

  offer({ cost, cooldownSeconds, perUser, skips }: Extract<Step, { type: "offer" }>) {
    const { names, newId } = this.#deps;
    const id = newId("reward");
    this.#rewards.push(id);
    const input = {
      title: id,
      description: null,
      cost,
      isEnabled: true,
      isPaused: false,
      requiresInput: false,
      skipQueue: skips,
      cooldownSeconds,
      maxPerStream: null,
      maxPerUserPerStream: perUser,
      channelUserId: names.owner,
      streamId: "stream",
    };
    const request: MemoryRequest = { command: null, input, by: names.owner };
    return { actor: `reward:${id}`, request };
  }

  /** Null when there is no target. */
  plan(step: Extract<Step, { type: "redeem" | "decide" | "delete" }>): Plan | null {
    const { names, newId, redemptions } = this.#deps;
    const { owner } = names;
    if (step.type === "decide") {
      const doc = [...redemptions.values()].at(-1 - step.nth);
      if (!doc) return null;
      const command = { type: step.decision };
      const idempotency = once(owner, step.decision, step.key, { id: doc._id });
      const request: MemoryRequest = { ...this.expired(doc), command, by: owner, ...idempotency };
      return { actor: `redemption:${doc._id}`, asks: [{ by: 0, key: step.key }], requestOf: () => request };
    }
    const rewardId = this.#rewards.at(step.type === "redeem" && step.older ? -2 : -1);
    if (rewardId === undefined) return null;
    const actor = `reward:${rewardId}`;
    if (step.type === "delete") {
      const request: MemoryRequest = { command: { type: "delete", userId: owner }, by: owner };
      return { actor, asks: [{ by: 0, key: null }], requestOf: () => request };
    }
    const requestOf = ({ by, key }: Redeem): MemoryRequest => {
      const userId = names.user(by);
      const command = { type: "redeem", redemptionId: newId("redemption"), userId, userInput: null } as const;
      return { command, by: userId, ...once(userId, "redeem", key, { rewardId }) };
    };
    return { actor, asks: step.asks, requestOf };
  }

  /** A request that only creates the actor, which then does what is overdue. */
  expired({ rewardId, redeemerId, createdAt }: RedemptionDoc): MemoryRequest {
    return { command: null, input: { rewardId, redeemerId, boughtAt: createdAt.getTime() }, by: null };
  }

  answer(outcome: Outcome): Answer {
    const reply = answered(outcome);
    if (!reply.ok) return { refused: reply.code, details: reply.details };
    return {
      ok: this.#textOf(reply.answer as RewardAnswer | { redemption: RedemptionDoc }),
      bet: null,
      balance: null,
    };
  }

  #textOf(answer: RewardAnswer | { redemption: RedemptionDoc }): string {
    if ("redemption" in answer) return this.#seen(answer.redemption);
    if (answer.bought) return this.#seen(answer.bought.redemption);
    return answer.reward ? `reward ${this.#rewards.indexOf(answer.reward._id)}` : "nothing";
  }

  #seen({ _id, rewardId, redeemerId, status, reward: { cost } }: RedemptionDoc): string {
    const { names, redemptions } = this.#deps;
    const index = [...redemptions.keys()].indexOf(_id);
    const reward = this.#rewards.indexOf(rewardId);
    return redemptionSeen({ index, reward, by: names.users.indexOf(redeemerId), cost, status });
  }
}

export const once = (by: string, operation: string, key: number | null, request: object) =>
  key === null ? {} : { once: { key: `${by}:${operation}:${key}`, request } };

type Answered = { ok: true; answer: unknown } | { ok: false; code: string; details: Record<string, unknown> };

export function answered(outcome: Outcome): Answered {
  if (outcome.kind === "answered") return { ok: true, answer: outcome.answer };
  if (outcome.kind !== "refused") throw new Error(`a request came out ${outcome.kind}`, { cause: outcome });
  const { code, details } = outcome.refusal;
  return { ok: false, code, details: { ...details } };
}
