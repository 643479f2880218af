import { DAY_MS } from "../../../../base/durations.ts";
import { type Answer, refused, type Seen, type Standing, seen } from "./answer.ts";
import { AnsweredKeys } from "./answered-keys.ts";
import { type Ask, FORTUNES, OUTCOMES, OWNER, type Redeem, type Step } from "./operations.ts";
import { type Reward, RewardModel } from "./reward-model.ts";

const STAKE_LIMIT = 250_000;
const PRESENCE_POINTS = 10;

type Bet = { user: number; outcome: number; amount: number };
type Prediction = Seen & { index: number; bets: Bet[]; forgottenAt: number };

/**
 * The reference model: predictions, rewards and their points as the lifecycles describe them, without a machine, a store or a
 * batch: one channel, one operation after the other. Everything is compared with this.
 */
export class Model {
  now: number;
  readonly #balances: number[] = [...FORTUNES];
  readonly #predictions: Prediction[] = [];
  readonly #keys = new AnsweredKeys();
  readonly #earned = new Set<string>();
  readonly #rewards = new RewardModel({
    balance: (user) => this.#balances[user] ?? 0,
    credit: (user, delta) => this.#credit(user, delta),
  });
  /** Settled at the end of a step: concurrent requests are decided before. */
  #unsettled: (Prediction | Reward)[] = [];
  /** Left by a dead process: settled in time, or with the next request to it. */
  #abandoned: (Prediction | Reward)[] = [];
  /** Bets are settled in the order of their users' ids. */
  readonly #order: readonly number[];

  constructor(now: number, order: readonly number[]) {
    this.now = now;
    this.#order = order;
  }

  take(step: Step): Answer[] {
    const answers = "crash" in step && step.crash === "after" ? this.#dieAfter(step) : this.#take(step);
    for (const one of this.#unsettled.splice(0)) this.#settle(one);
    return answers;
  }

  /** Everything took effect, but the answers were lost. Requests with a key are retried at another process. */
  #dieAfter(step: Extract<Step, { crash: unknown }>): Answer[] {
    const lost = this.#take(step).map(() => null);
    this.#abandoned.push(...this.#unsettled.splice(0));
    if (step.type === "delete") return lost;
    if (step.type === "decide") return step.key === null ? lost : this.#take(step);
    const answers = this.#take(step, true);
    return step.asks.map(({ key }) => (key === null ? null : (answers.shift() ?? null)));
  }

  standing(): Standing {
    const bets: Standing["bets"] = {};
    for (const { index, bets: own } of this.#predictions) {
      for (const { user, outcome, amount } of own) bets[`${index}:${user}`] = { outcome, amount };
    }
    return {
      predictions: this.#predictions.map(seen),
      balances: [...this.#balances],
      bets,
      redemptions: this.#rewards.standing(),
    };
  }

  /** `again`: only requests with a key. */
  #take(step: Step, again = false): Answer[] {
    const chosen = <One extends { key: number | null }>(asks: One[]) =>
      again ? asks.filter(({ key }) => key !== null) : asks;
    switch (step.type) {
      case "ask": {
        const prediction = this.#predictions.at(step.older ? -2 : -1);
        return chosen(step.asks).map((ask) => this.#ask(ask, this.#touched(prediction)));
      }
      case "offer":
        return [this.#rewards.offer(step)];
      case "redeem": {
        const reward = this.#rewards.rewards.at(step.older ? -2 : -1);
        return chosen(step.asks).map((ask) => this.#redeem(ask, this.#touched(reward)));
      }
      case "decide":
        return [this.#decideRedemption(step)];
      case "delete":
        return [this.#delete(this.#touched(this.#rewards.rewards.at(-1)))];
      case "open":
        return [this.#once("open", step.key, step.seconds, () => this.#open(step.seconds))];
      case "earn": {
        const key = `${step.user}:${step.window}`;
        if (!this.#earned.has(key)) this.#credit(step.user, PRESENCE_POINTS);
        this.#earned.add(key);
        return [];
      }
      case "pass":
        this.#pass(step.ms);
        return [];
    }
  }

  /** An actor that gets a request first continues what was abandoned. */
  #touched<One extends Prediction | Reward>(one: One | undefined): One | undefined {
    const isIt = (other: Prediction | Reward) => other === one;
    this.#unsettled.push(...this.#abandoned.filter(isIt));
    this.#abandoned = this.#abandoned.filter((other) => !isIt(other));
    return one;
  }

  #redeem({ by, key }: Redeem, reward: Reward | undefined): Answer {
    if (!reward) return null;
    const redeem = () => this.#rewards.redeem(reward, by, this.now);
    return this.#once(`${by}:redeem`, key, reward.index, redeem);
  }

  #decideRedemption({ nth, decision, key }: Extract<Step, { type: "decide" }>): Answer {
    const redemption = this.#rewards.redemptions.at(-1 - nth);
    if (!redemption) return null;
    const decide = () => this.#rewards.decide(redemption, decision);
    return this.#once(decision, key, redemption.index, decide);
  }

  #delete(reward: Reward | undefined): Answer {
    if (!reward) return null;
    const answer = this.#rewards.delete(reward);
    if (answer && "ok" in answer) this.#unsettled.push(reward);
    return answer;
  }

  #ask(ask: Ask, prediction: Prediction | undefined): Answer {
    if (!prediction) return null;
    const { key, by, ...body } = ask;
    const request = { ...body, prediction: prediction.index };
    return this.#once(`${by}:${ask.type}`, key, request, () => this.#decide(ask, prediction));
  }

  #once(what: string, key: number | null, request: unknown, decide: () => Answer): Answer {
    return this.#keys.once(`${what}:${key}`, key, request, this.now, decide);
  }

  #open(seconds: number): Answer {
    if (this.#predictions.some(isOpen)) return refused("prediction_open");
    const prediction: Prediction = {
      index: this.#predictions.length,
      status: "active",
      locksAt: this.now + seconds * 1_000,
      resolved: null,
      settled: false,
      pools: Array.from({ length: OUTCOMES }, () => 0),
      bettors: Array.from({ length: OUTCOMES }, () => 0),
      bets: [],
      forgottenAt: 0,
    };
    this.#predictions.push(prediction);
    return { ok: seen(prediction), bet: null, balance: null };
  }

  #decide(ask: Ask, prediction: Prediction): Answer {
    if (ask.type === "bet") return this.#bet(ask, prediction);
    if (prediction.bets.some((bet) => bet.user === ask.by)) return refused("stake_holder");
    if (ask.type === "resolve" && ask.outcome >= OUTCOMES)
      return refused("outcome_unknown", { outcome_id: ask.outcome });
    const fits = ask.type === "lock" ? prediction.status === "active" : isOpen(prediction);
    if (!fits) return refused("invalid_state", { status: prediction.status });
    if (ask.type === "lock") this.#lock(prediction);
    else this.#close(prediction, ask.type === "resolve" ? ask.outcome : null);
    return { ok: seen(prediction), bet: null, balance: null };
  }

  #bet({ by, outcome, amount }: Extract<Ask, { type: "bet" }>, prediction: Prediction): Answer {
    if (by === OWNER) return refused("own_prediction");
    if (prediction.status !== "active") return refused("invalid_state", { status: prediction.status });
    if (outcome >= OUTCOMES) return refused("outcome_unknown", { outcome_id: outcome });
    const known = prediction.bets.find((bet) => bet.user === by);
    if (known && known.outcome !== outcome) return refused("outcome_fixed", { outcome_id: known.outcome });
    const staked = known?.amount ?? 0;
    if (staked + amount > STAKE_LIMIT) return refused("stake_limit", { limit: STAKE_LIMIT, staked });
    const balance = this.#balances[by] ?? 0;
    if (amount > balance) return refused("insufficient_points", { balance });

    const bet = known ?? { user: by, outcome, amount: 0 };
    if (!known) {
      prediction.bets.push(bet);
      prediction.bettors[outcome] = (prediction.bettors[outcome] ?? 0) + 1;
    }
    bet.amount += amount;
    prediction.pools[outcome] = (prediction.pools[outcome] ?? 0) + amount;
    this.#credit(by, -amount);
    return { ok: seen(prediction), bet: { outcome, amount: bet.amount }, balance: balance - amount };
  }

  #lock(prediction: Prediction): void {
    prediction.status = "locked";
    prediction.locksAt = Math.min(prediction.locksAt, this.now);
    prediction.forgottenAt = this.now + DAY_MS;
  }

  #close(prediction: Prediction, outcome: number | null): void {
    prediction.locksAt = Math.min(prediction.locksAt, this.now);
    prediction.status = outcome === null ? "cancelled" : "resolved";
    prediction.resolved = outcome;
    if (prediction.bets.length === 0) prediction.settled = true;
    else this.#unsettled.push(prediction);
  }

  /** Advances the time in one step; then everything due happens, once. */
  #pass(ms: number): void {
    this.now += ms;
    const prediction = this.#predictions.find(isOpen);
    if (prediction?.status === "active" && prediction.locksAt <= this.now) this.#lock(prediction);
    else if (prediction?.status === "locked" && prediction.forgottenAt <= this.now)
      this.#close(prediction, null);
    this.#unsettled.push(...this.#abandoned.splice(0));
    this.#rewards.expire(this.now);
  }

  #settle(one: Prediction | Reward): void {
    if ("isDeleted" in one) this.#rewards.settle(one);
    else this.#pay(one);
  }

  /** Each winner's share of the pool, rounded so that the shares add up to the pool; without winners, all stakes are refunded. */
  #pay(prediction: Prediction): void {
    prediction.settled = true;
    const bets = this.#order.flatMap((user) => prediction.bets.filter((bet) => bet.user === user));
    const winners = bets.filter((bet) => bet.outcome === prediction.resolved);
    const pool = prediction.pools.reduce((a, b) => a + b, 0);
    const winning = winners.reduce((sum, bet) => sum + bet.amount, 0);
    let staked = 0;
    let paid = 0;
    for (const bet of winners.length > 0 ? winners : bets) {
      staked += bet.amount;
      const upTo = winners.length > 0 ? Number((BigInt(staked) * BigInt(pool)) / BigInt(winning)) : staked;
      this.#credit(bet.user, upTo - paid);
      paid = upTo;
    }
  }

  #credit(user: number, delta: number): void {
    const balance = (this.#balances[user] ?? 0) + delta;
    if (balance < 0) throw new Error("the model itself went below zero");
    this.#balances[user] = balance;
  }
}

const isOpen = ({ status }: Prediction) => status === "active" || status === "locked";
