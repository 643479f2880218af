import type { Outcome } from "../../../../actors/host/request.ts";
import { PRESENCE_POINTS } from "../../../../actors/points/ledger/viewing.ts";
import type { PredictionAnswer } from "../../../../actors/points/prediction/effects.ts";
import type { PredictionCommand } from "../../../../actors/points/prediction/machine.ts";
import { REDEMPTION_EXPIRY_MS } from "../../../../actors/points/redemption/machine.ts";
import type { PredictionDoc } from "../../../../store/mongo/points/predictions.ts";
import type { Answer } from "./answer.ts";
import { Memory } from "./memory.ts";
import { MemoryHost, type MemoryRequest } from "./memory-host.ts";
import { memoryMachines } from "./memory-machines.ts";
import { MemoryRewards } from "./memory-rewards.ts";
import { Names, type Subject } from "./names.ts";
import { type Ask, type Crash, FORTUNES, type Step } from "./operations.ts";
import { answered, once, PureRewards } from "./pure-rewards.ts";

/** The decision logic alone, in memory. Ids are counters, so that runs are deterministic. */
export function pureSubject(now: number): Subject & { names: Names } {
  const names = new Names(
    FORTUNES.map((_, i) => `viewer ${i}`),
    "owner",
  );
  const memory = new Memory(new Map(FORTUNES.map((fortune, i) => [names.user(i), fortune])));
  const bought = new MemoryRewards(memory);
  const host = new MemoryHost(memoryMachines(memory, bought), new Date(now));
  let ids = 0;
  const newId = (kind: string) => `${kind} ${String(++ids).padStart(6, "0")}`;
  const rewards = new PureRewards({ names, newId, redemptions: bought.redemptions });

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

  /** As the service answers: only bets have bet and balance. */
  function answerOf(outcome: Outcome, isBet: boolean): Answer {
    const reply = answered(outcome);
    if (!reply.ok) return names.refusal(reply.code, reply.details);
    // Made by the prediction's own `answer`, now or when the key was first used.
    const { prediction, bet, balance } = reply.answer as PredictionAnswer;
    names.note(prediction);
    return isBet ? names.answer(prediction, bet, balance) : names.answer(prediction, null, null);
  }

  function earn(userId: string, window: number): void {
    const key = `presence:${userId}:${window}`;
    if (!memory.has(key)) memory.move(key, userId, PRESENCE_POINTS);
  }

  /**
   * One batch of an actor, and where its process dies. If it dies before the commit, nothing has changed and all requests are
   * retried; after it, those with a key.
   */
  function ask<One extends { key: number | null }>(
    actor: string,
    asks: One[],
    crash: Crash,
    requestOf: (one: One) => MemoryRequest,
    answerOf: (outcome: Outcome, one: One) => Answer,
  ): Answer[] {
    if (crash !== null) host.handle(actor, asks.map(requestOf), crash === "before" ? "decided" : "committed");
    const again = crash === "after" ? asks.filter(({ key }) => key !== null) : asks;
    const outcomes = again.length > 0 ? host.handle(actor, again.map(requestOf)) : [];
    const answers = new Map(again.map((one, i) => [one, outcomes[i]]));
    return asks.map((one) => {
      const outcome = answers.get(one);
      return outcome ? answerOf(outcome, one) : null;
    });
  }

  return {
    names,
    async take(step) {
      switch (step.type) {
        case "ask": {
          const prediction = names.predictions.at(step.older ? -2 : -1);
          if (!prediction) return step.asks.map(() => null);
          return ask(
            `prediction:${prediction._id}`,
            step.asks,
            step.crash,
            (one) => requestOf(one, prediction),
            (outcome, { type }) => answerOf(outcome, type === "bet"),
          );
        }
        case "open":
          return host
            .handle(`prediction:${newId("prediction")}`, [open(step)])
            .map((outcome) => answerOf(outcome, false));
        case "offer": {
          const { actor, request } = rewards.offer(step);
          return host.handle(actor, [request]).map((outcome) => rewards.answer(outcome));
        }
        case "redeem":
        case "decide":
        case "delete": {
          const plan = rewards.plan(step);
          if (!plan) return "asks" in step ? step.asks.map(() => null) : [null];
          const { actor, asks, requestOf } = plan;
          return ask(actor, asks, step.crash, requestOf, (outcome) => rewards.answer(outcome));
        }
        case "earn":
          earn(names.user(step.user), step.window);
          return [];
        case "pass":
          host.now = new Date(host.now.getTime() + step.ms);
          host.sweep();
          for (const doc of bought.pendingSince(new Date(host.now.getTime() - REDEMPTION_EXPIRY_MS)))
            host.handle(`redemption:${doc._id}`, [rewards.expired(doc)]);
          return [];
      }
    },
    standing: async () => ({
      ...names.standing(
        [...memory.predictions.values()],
        [...memory.bets.values()].flatMap((own) => [...own.values()]),
        memory.balances,
      ),
      redemptions: rewards.standing(),
    }),
  };
}
