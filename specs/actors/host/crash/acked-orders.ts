import { expect } from "chai";
import type { Db } from "mongodb";
import type { PollVoteDoc } from "../../../../store/mongo/chat/poll-votes.ts";
import type { BetDoc } from "../../../../store/mongo/points/bets.ts";
import type { LedgerDoc } from "../../../../store/mongo/points/ledger.ts";
import type { Order } from "./orders.ts";

type Bet = Extract<Order, { type: "bet" }>;

/** The acknowledged orders: in the end each must have taken effect once. */
export class AckedOrders {
  readonly predictions: string[] = [];
  answered = 0;
  isClosed = false;
  readonly #target: number;
  /** The accepted amounts by bet. */
  readonly #bets = new Map<string, number[]>();
  readonly #earned = new Set<string>();
  readonly #voted = new Set<string>();
  readonly #waiting: { count: number; wake: () => void }[] = [];

  constructor(target: number) {
    this.#target = target;
  }

  get isFull(): boolean {
    return this.isClosed || this.answered >= this.#target;
  }

  note(order: Order, answer: string): void {
    this.answered += 1;
    for (const { count, wake } of this.#waiting) if (this.isFull || this.answered >= count) wake();
    // On a retry after a lost answer, the refusal shows that the vote was counted.
    const isVoted = answer.startsWith('{"ok"') || answer.includes("already_voted");
    if (order.type === "vote" && isVoted) this.#voted.add(`${order.pollId}:${order.userId}`);
    if (!answer.startsWith('{"ok"')) return;
    if (order.type === "bet") this.#noteBet(order);
    if (order.type === "earn") this.#earned.add(`presence:${order.userId}:${order.streamId}:${order.key}`);
  }

  /** Resolves once that many orders have been answered, or no more will be. */
  reached(count: number): Promise<void> {
    if (this.isFull || this.answered >= count) return Promise.resolve();
    return new Promise((wake) => this.#waiting.push({ count, wake }));
  }

  /** All are done or one has failed: wakes all waiters, and all stop. */
  close(): void {
    this.isClosed = true;
    for (const { wake } of this.#waiting) wake();
  }

  #noteBet({ predictionId, userId, amount }: Bet): void {
    const bet = `${predictionId}:${userId}`;
    this.#bets.set(bet, [...(this.#bets.get(bet) ?? []), amount]);
  }

  /** Checks that every accepted bet, vote and earning exists exactly once, and no other. */
  async expectAllThere(db: Db): Promise<void> {
    const stakes = new Map<string, number[]>();
    const ledger = db.collection<LedgerDoc>("ledger");
    for await (const { ref, userId, delta } of ledger.find({ reason: "bet" })) {
      const bet = `${ref}:${userId}`;
      stakes.set(bet, [...(stakes.get(bet) ?? []), -delta]);
    }
    expect(sorted(stakes), "stakes in the ledger and answered bets").deep.equal(sorted(this.#bets));
    const bets = await db.collection<BetDoc>("bets").countDocuments();
    expect(bets, "bets").equal(this.#bets.size);
    const votes = await db.collection<PollVoteDoc>("poll_votes").find().toArray();
    expect(votes.map(({ _id }) => _id).sort(), "votes").deep.equal([...this.#voted].sort());
    const earned = await ledger.distinct("_id", { _id: { $in: [...this.#earned] } });
    expect(earned.length, "answered earnings").equal(this.#earned.size);
  }
}

const sorted = (stakes: Map<string, number[]>) =>
  [...stakes].map(([bet, amounts]) => `${bet} ${amounts.sort((a, b) => a - b).join(" ")}`).sort();
