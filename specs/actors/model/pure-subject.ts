import type { Outcome } from "../../../actors/host/request.ts";
import { PRESENCE_POINTS } from "../../../actors/points/viewing.ts";
import type { PredictionAnswer } from "../../../actors/prediction/effects.ts";
import type { PredictionCommand } from "../../../actors/prediction/machine.ts";
import type { PredictionDoc } from "../../../store/mongo/predictions.ts";
import { Memory } from "./memory.ts";
import { MemoryHost, type MemoryRequest } from "./memory-host.ts";
import type { Answer } from "./model.ts";
import { Names, type Subject } from "./names.ts";
import { type Ask, FORTUNES, type Step } from "./operations.ts";

/** The deciding part alone, in memory. Ids are counted, so that a run is the same every time. */
export function pureSubject(now: number): Subject & { names: Names } {
  const names = new Names(
    FORTUNES.map((_, i) => `viewer ${i}`),
    "owner",
  );
  const memory = new Memory(new Map(FORTUNES.map((fortune, i) => [names.user(i), fortune])));
  const host = new MemoryHost(memory, new Date(now));
  let ids = 0;
  const newId = (kind: string) => `${kind} ${String(++ids).padStart(6, "0")}`;

  const once = (by: string, operation: string, key: number | null, request: object) =>
    key === null ? {} : { once: { key: `${by}:${operation}:${key}`, request } };

  function requestOf(ask: Ask, prediction: PredictionDoc): MemoryRequest {
    const by = names.user(ask.by);
    const id = prediction._id;
    const decide = (command: PredictionCommand) => ({
      command,
      by,
      ...once(by, command.type, ask.key, { id, ...command }),
    });
    switch (ask.type) {
      case "bet": {
        const { amount } = ask;
        const outcomeId = names.outcomeId(prediction, ask.outcome);
        const command = { type: "bet", opId: newId("op"), userId: by, outcomeId, amount } as const;
        return { command, by, ...once(by, "bet", ask.key, { predictionId: id, outcomeId, amount }) };
      }
      case "resolve":
        return decide({ type: "resolve", outcomeId: names.outcomeId(prediction, ask.outcome) });
      default:
        return decide({ type: ask.type });
    }
  }

  function open({ key, seconds }: Extract<Step, { type: "open" }>): MemoryRequest {
    const by = names.owner;
    const outcomes = ["yes", "no"].map((title) => ({ id: newId("outcome"), title, color: null }));
    const fixed = { streamId: "stream", channelUserId: by, title: "?", createdBy: by };
    const input = { ...fixed, outcomes, durationMs: seconds * 1_000 };
    return { command: null, input, by, ...once(by, "open", key, { seconds }) };
  }

  /** As the service answers: bet and balance come with bets only. */
  function answerOf(outcome: Outcome, isBet: boolean): Answer {
    if (outcome.kind === "refused")
      return names.refusal(outcome.refusal.code, { ...outcome.refusal.details });
    if (outcome.kind !== "answered")
      throw new Error(`a request came out ${outcome.kind}`, { cause: outcome });
    // Made by the prediction's own `answer`, now or when the key was first used.
    const { prediction, bet, balance } = outcome.answer as PredictionAnswer;
    names.note(prediction);
    return isBet ? names.answer(prediction, bet, balance) : names.answer(prediction, null, null);
  }

  function earn(userId: string, window: number): void {
    const key = `presence:${userId}:${window}`;
    if (!memory.has(key)) memory.move(key, userId, PRESENCE_POINTS);
  }

  return {
    names,
    async take(step) {
      switch (step.type) {
        case "ask": {
          const prediction = names.predictions.at(step.older ? -2 : -1);
          if (!prediction) return step.asks.map(() => null);
          const batch = step.asks.map((ask) => requestOf(ask, prediction));
          const outcomes = host.tell(prediction._id, batch);
          return outcomes.map((outcome, i) => answerOf(outcome, batch[i]?.command?.type === "bet"));
        }
        case "open":
          return host.tell(newId("prediction"), [open(step)]).map((outcome) => answerOf(outcome, false));
        case "earn":
          earn(names.user(step.user), step.window);
          return [];
        case "pass":
          host.now = new Date(host.now.getTime() + step.ms);
          host.sweep();
          return [];
      }
    },
    standing: async () =>
      names.standing(
        [...memory.predictions.values()],
        [...memory.bets.values()].flatMap((own) => [...own.values()]),
        memory.balances,
      ),
  };
}
