import type { BetDoc } from "../../../../store/mongo/points/bets.ts";
import type { PredictionDoc } from "../../../../store/mongo/points/predictions.ts";
import type { Answer, Seen, Standing } from "./answer.ts";
import { FORTUNES, OWNER, type Step } from "./operations.ts";

/** What is compared with the model: the real system, in the model's numbers. */
export type Subject = {
  /** Resolves when all consequences of the step have happened; answers in the model's form. */
  take(step: Step): Promise<Answer[]>;
  standing(): Promise<Standing>;
};

/** The model's numbers for what has ids in reality. */
export class Names {
  readonly users: string[];
  /** Newest last. */
  readonly predictions: PredictionDoc[] = [];

  constructor(viewers: string[], owner: string) {
    this.users = [...viewers, owner];
  }

  get viewers(): string[] {
    return this.users.slice(0, OWNER);
  }

  get owner(): string {
    return this.user(OWNER);
  }

  user(number: number): string {
    const id = this.users[number];
    if (id === undefined) throw new Error(`there is no user ${number}`);
    return id;
  }

  /** Viewers in the order of their ids, in which bets are settled. */
  get order(): number[] {
    return FORTUNES.map((_, i) => i).sort((a, b) => (this.user(a) < this.user(b) ? -1 : 1));
  }

  /** Registers a prediction if it is new. */
  note(doc: PredictionDoc): void {
    if (!this.predictions.some((known) => known._id === doc._id)) this.predictions.push(doc);
  }

  /** Also for an outcome that doesn't exist. */
  outcomeId(prediction: PredictionDoc, number: number): string {
    return prediction.outcomes[number]?.id ?? `none ${number}`;
  }

  outcome(id: unknown): number {
    const none = /^none (\d+)$/.exec(String(id))?.[1];
    if (none !== undefined) return Number(none);
    for (const { outcomes } of this.predictions) {
      const number = outcomes.findIndex((outcome) => outcome.id === id);
      if (number >= 0) return number;
    }
    throw new Error(`nobody knows outcome ${id}`);
  }

  seen(doc: PredictionDoc): Seen {
    return {
      status: doc.status,
      locksAt: doc.locksAt.getTime(),
      resolved: doc.resolvedOutcomeId === null ? null : this.outcome(doc.resolvedOutcomeId),
      settled: doc.isSettled,
      pools: doc.outcomes.map((outcome) => outcome.pointsPool),
      bettors: doc.outcomes.map((outcome) => outcome.bettorCount),
    };
  }

  answer(doc: PredictionDoc, bet: BetDoc | null, balance: number | null): Answer {
    const seen = bet && { outcome: this.outcome(bet.outcomeId), amount: bet.amount };
    return { ok: this.seen(doc), bet: seen, balance };
  }

  refusal(code: string, details: Record<string, unknown> = {}): Answer {
    const { outcome_id } = details;
    return {
      refused: code,
      details: outcome_id === undefined ? details : { outcome_id: this.outcome(outcome_id) },
    };
  }

  standing(
    docs: PredictionDoc[],
    bets: BetDoc[],
    balances: Map<string, number>,
  ): Omit<Standing, "redemptions"> {
    const byId = new Map(docs.map((doc) => [doc._id, doc]));
    const indexes = new Map(this.predictions.map((doc, i) => [doc._id, i]));
    return {
      predictions: this.predictions.flatMap(({ _id }) => byId.get(_id) ?? []).map((doc) => this.seen(doc)),
      balances: this.viewers.map((user) => balances.get(user) ?? 0),
      bets: Object.fromEntries(
        bets.map(({ predictionId, userId, outcomeId, amount }) => [
          `${indexes.get(predictionId)}:${this.users.indexOf(userId)}`,
          { outcome: this.outcome(outcomeId), amount },
        ]),
      ),
    };
  }
}
