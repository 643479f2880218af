import { NO_BARS } from "../../../../actors/channels/viewer-bars.ts";
import type { ActorState } from "../../../../actors/host/actor-types.ts";
import { type EffectHandlers, eachOf } from "../../../../actors/host/effect.ts";
import type { PredictionReads, PredictionTypes } from "../../../../actors/points/prediction/effects.ts";
import { isRefund, settle } from "../../../../actors/points/prediction/effects.ts";
import type { PredictionContext } from "../../../../actors/points/prediction/machine.ts";
import { predictionDoc } from "../../../../actors/points/prediction/view.ts";
import type { BetDoc } from "../../../../store/mongo/points/bets.ts";
import type { PredictionDoc } from "../../../../store/mongo/points/predictions.ts";
import type { MemoryRequest } from "./memory-host.ts";

/** The collections of predictions and points of one channel, as maps. */
export class Memory {
  readonly balances: Map<string, number>;
  readonly predictions = new Map<string, PredictionDoc>();
  /** By prediction, then by user. */
  readonly bets = new Map<string, Map<string, BetDoc>>();
  /** Keys of all ledger entries. */
  readonly #entries = new Set<string>();

  constructor(balances: Map<string, number>) {
    this.balances = balances;
  }

  /** The result of the prediction's `prepare` for a batch. */
  reads(id: string, batch: MemoryRequest[]): PredictionReads {
    const bettors = batch.flatMap(({ command }) => (command?.type === "bet" ? [command.userId] : []));
    const people = [...bettors, ...batch.flatMap(({ by }) => by ?? [])];
    const own = this.bets.get(id) ?? new Map<string, BetDoc>();
    return {
      bets: new Map(people.flatMap((user) => pair(user, own.get(user)))),
      balances: new Map(bettors.flatMap((user) => pair(user, this.balances.get(user)))),
      bars: NO_BARS,
    };
  }

  /** The next bets to settle. */
  betsAfter(id: string, cursor: string, limit: number): BetDoc[] {
    return [...(this.bets.get(id)?.values() ?? [])]
      .filter((bet) => bet._id > cursor)
      .sort((a, b) => (a._id < b._id ? -1 : 1))
      .slice(0, limit);
  }

  hasOpen(): boolean {
    return [...this.predictions.values()].some((prediction) => prediction.isOpen);
  }

  save(state: ActorState<PredictionContext>): void {
    this.predictions.set(state.id, predictionDoc(state));
  }

  saveBet(bet: BetDoc): void {
    const own = this.bets.get(bet.predictionId) ?? new Map<string, BetDoc>();
    this.bets.set(bet.predictionId, own.set(bet.userId, bet));
  }

  /** Once per key, and never below 0. */
  move(key: string, userId: string, delta: number): void {
    if (this.#entries.has(key)) throw new Error(`${key} was moved before`);
    const balance = (this.balances.get(userId) ?? 0) + delta;
    if (balance < 0) throw new Error(`${key} leaves ${userId} with ${balance}`);
    this.#entries.add(key);
    this.balances.set(userId, balance);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }
}

const pair = <T>(user: string, value: T | undefined): [string, T][] =>
  value === undefined ? [] : [[user, value]];

/** The prediction's effects: the same decisions, writing to memory. */
export function memoryEffects(
  real: EffectHandlers<PredictionTypes>,
  memory: Memory,
): EffectHandlers<PredictionTypes> {
  return {
    announce: { write: () => undefined },
    takeStake: {
      ...real.takeStake,
      write(batches) {
        for (const [{ params }, { reads }] of eachOf(batches)) {
          const bet = reads.bets.get(params.userId);
          if (bet) memory.saveBet(bet);
          memory.move(`bet:${params.opId}`, params.userId, -params.amount);
        }
      },
    },
    settleBets: {
      ...real.settleBets,
      write(batches) {
        for (const [{ params, after }] of eachOf(batches)) {
          const reason = isRefund(after.context) ? "refund" : "payout";
          for (const { bet, payout } of settle(params, after.context)) {
            if (payout > 0) memory.move(`${reason}:${bet._id}`, bet.userId, payout);
          }
        }
      },
    },
  };
}
