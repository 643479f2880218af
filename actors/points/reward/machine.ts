import Type from "typebox";
import { assign, cancel, raise, setup } from "xstate";
import type { RedemptionDoc } from "../../../store/mongo/points/redemptions.ts";
import type { Stamped } from "../../host/actor-types.ts";
import { type EffectsOf, effect } from "../../host/effect.ts";
import {
  type CommandOf,
  commandsOf,
  count,
  exactly,
  identifier,
  orNull,
  type Static,
} from "../../host/schemas.ts";
import {
  batchOf,
  type Progress,
  SETTLE,
  SETTLE_TAKEOVER_MS,
  type SettleEvent,
  type SettlingBatch,
  settledAfter,
  settlingGuards,
  settlingState,
} from "../../host/settling.ts";

/** Incremented with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const REWARD_VERSION = 1;

const offer = {
  title: Type.String(),
  description: orNull(Type.String()),
  cost: Type.Integer({ minimum: 1 }),
  isEnabled: Type.Boolean(),
  isPaused: Type.Boolean(),
  requiresInput: Type.Boolean(),
  skipQueue: Type.Boolean(),
  cooldownSeconds: orNull(count),
  maxPerStream: orNull(count),
  maxPerUserPerStream: orNull(count),
};
const given = { ...offer, channelUserId: identifier, streamId: identifier };

export const rewardInput = exactly(given);

export const rewardContext = exactly({
  ...given,
  createdAt: count,
  /** When it was last redeemed, Unix ms; its cooldown starts there. */
  redeemedAt: orNull(count),
  /** Redemptions in the broadcast that began at `since`, Unix ms; null before the first broadcast. */
  counted: exactly({ since: orNull(count), redemptions: count }),
  deletedBy: orNull(identifier),
  /** The cursor of the refunds after its deletion. */
  settled: exactly({ cursor: Type.String() }),
});

export const rewardCommands = commandsOf({
  change: { offer: Type.Partial(exactly(offer)) },
  /** `redemptionId` is new with every request. */
  redeem: { redemptionId: identifier, userId: identifier, userInput: orNull(Type.String()) },
  delete: { userId: identifier },
});

export type RewardInput = Static<typeof rewardInput>;
export type RewardContext = Static<typeof rewardContext>;
export type RewardCommand = CommandOf<typeof rewardCommands>;
type RefundsBatch = SettlingBatch<RedemptionDoc, Progress>;

/** `since`: when the broadcast in which the redemption counts began, Unix ms; null when there was none yet. */
type Redeemed = Extract<RewardCommand, { type: "redeem" }> & { since: number | null };
export type RewardEvent = Redeemed | Exclude<RewardCommand, { type: "redeem" }> | SettleEvent<RefundsBatch>;

const effects = {
  list: effect<undefined>(),
  relist: effect<undefined>(),
  sell: effect<Redeemed>(),
  delist: effect<undefined>(),
  refundAll: effect<RefundsBatch>(),
};
export type RewardEffects = EffectsOf<typeof effects>;

const machine = setup({
  types: {} as {
    context: RewardContext;
    input: RewardInput & { at: number };
    events: Stamped<RewardEvent>;
  },
  actions: {
    ...effects,
    takeOffer: assign(({ event }) => (event.type === "change" ? event.offer : {})),
    countRedemption: assign(({ context, event }) => {
      if (event.type !== "redeem") return {};
      const { since } = event;
      const before = context.counted.since === since ? context.counted.redemptions : 0;
      return { redeemedAt: event.at, counted: { since, redemptions: before + 1 } };
    }),
    noteDeletion: assign({
      deletedBy: ({ context, event }) => (event.type === "delete" ? event.userId : context.deletedBy),
    }),
    noteSettled: assign({
      settled: ({ context, event }) => settledAfter(context.settled, event),
    }),
    armSettling: raise({ type: SETTLE, batch: null, at: 0 }, { id: SETTLE, delay: "settleAgain" }),
    disarmSettling: cancel(SETTLE),
  },
  guards: settlingGuards,
  delays: { settleAgain: SETTLE_TAKEOVER_MS },
});

const sell = {
  type: "sell",
  params: ({ event }: { event: RewardEvent }) => {
    if (event.type !== "redeem") throw new Error("only a redemption is sold");
    return event;
  },
} as const;

const refundAll = {
  type: "refundAll",
  params: ({ event }: { event: RewardEvent }) => batchOf(event),
} as const;

export const rewardMachine = machine.createMachine({
  id: "reward",
  description:
    "A reward of a channel. It takes the price of redemptions, many in one commit, and counts what its limits need. Once " +
    "deleted it refunds the redemptions that are pending, in batches, each a commit of its own.",
  initial: "offered",
  context: ({ input: { at, ...input } }) => ({
    ...input,
    createdAt: at,
    redeemedAt: null,
    counted: { since: null, redemptions: 0 },
    deletedBy: null,
    settled: { cursor: "" },
  }),
  states: {
    offered: {
      entry: "list",
      on: {
        change: { actions: ["takeOffer", "relist"] },
        redeem: { actions: ["countRedemption", sell] },
        delete: "deleted",
      },
    },
    deleted: {
      entry: ["noteDeletion", "delist"],
      initial: "refunding",
      states: {
        refunding: machine.createStateConfig(settlingState("refunding", "refunded", refundAll)),
        refunded: { type: "final" },
      },
    },
  },
});
