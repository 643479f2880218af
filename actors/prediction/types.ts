import type { BetDoc } from "../../store/mongo/bets.ts";
import type { PredictionDoc } from "../../store/mongo/predictions.ts";
import type { PredictionContext, PredictionEffects, PredictionEvent, PredictionInput } from "./machine.ts";

export type PredictionCommand =
  /** `opId` is new with every request: the stake's ledger key. */
  | { type: "bet"; opId: string; userId: string; outcomeId: string; amount: number }
  | { type: "lock" }
  | { type: "resolve"; outcomeId: string }
  | { type: "cancel" };

/** What a batch read, kept up to date while it is decided. */
export type PredictionReads = {
  /** By user: those who bet or decide in this batch. */
  bets: Map<string, BetDoc>;
  /** By user: points in this channel of those who bet in this batch. */
  balances: Map<string, number>;
};

export type PredictionAnswer = {
  prediction: PredictionDoc;
  /** Of whoever asked, when this batch had to know them. */
  bet: BetDoc | null;
  balance: number | null;
};

export type PredictionTypes = {
  command: PredictionCommand;
  event: PredictionEvent;
  context: PredictionContext;
  input: PredictionInput;
  effects: PredictionEffects;
  reads: PredictionReads;
  answer: PredictionAnswer;
};
