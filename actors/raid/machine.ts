import Type from "typebox";
import { assign, cancel, raise, setup } from "xstate";
import type { RaidMemberDoc } from "../../store/mongo/raid-members.ts";
import { RAID_ARRIVAL_MS, RAID_COUNTDOWN_MS, RAID_HOLD_MS } from "../../store/mongo/raids.ts";
import type { Stamped } from "../host/actor-types.ts";
import { type EffectsOf, effect } from "../host/effect.ts";
import { type CommandOf, commandsOf, count, exactly, orNull, type Static, word } from "../host/schemas.ts";
import {
  batchOf,
  SETTLE,
  SETTLE_AGAIN_MS,
  type SettleEvent,
  type SettlingBatch,
  settledAfter,
  settlingGuards,
  settlingState,
} from "../host/settling.ts";

/** Rises with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const RAID_VERSION = 2;

/** What it is begun with, and stays. */
const given = {
  sourceUserId: word,
  sourceStreamId: word,
  targetUserId: word,
  targetStreamId: word,
  message: orNull(Type.String()),
  createdBy: word,
};

export const raidContext = exactly({
  ...given,
  /** Unix ms. */
  createdAt: count,
  startedAt: orNull(count),
  completedAt: orNull(count),
  /** Members that left with it; once completed, those that arrived. */
  viewers: count,
  settled: exactly({
    /** The last arrival dealt with, by id; "" before the first. */
    cursor: Type.String(),
    /** Arrivals up to and with it. */
    arrived: count,
  }),
});

export const raidCommands = commandsOf({
  start: {},
  cancel: {},
  targetWentOffline: {},
  /** From the machine's own timer, to learn how many leave with it. */
  countdownOver: {},
});

export const raidInput = exactly(given);
export type RaidInput = Static<typeof raidInput>;
export type RaidContext = Static<typeof raidContext>;
export type RaidCommand = CommandOf<typeof raidCommands>;
export type ArrivalProgress = RaidContext["settled"];
export type ArrivalsBatch = SettlingBatch<RaidMemberDoc, ArrivalProgress>;

/** `viewers` are the members that leave with it; `isAccepted`: the target still lets it in. */
type Departure = { type: "start" | "countdownOver"; viewers: number; isAccepted: boolean };
export type RaidEvent =
  | Departure
  | { type: "cancel" }
  | { type: "targetWentOffline" }
  | SettleEvent<ArrivalsBatch>;

export type RaidNewsType = "raid.pending" | "raid.go" | "raid.incoming" | "raid.cancelled";

const effects = {
  announce: effect<{ event: RaidNewsType }>(),
  raiseShield: effect<undefined>(),
  settleArrivals: effect<ArrivalsBatch>(),
  hostTarget: effect<undefined>(),
};
export type RaidEffects = EffectsOf<typeof effects>;
const announce = (event: RaidNewsType) => ({ type: "announce", params: { event } }) as const;

const COUNTDOWN = "countdown";

const machine = setup({
  types: {} as {
    context: RaidContext;
    input: RaidInput & { at: number };
    events: Stamped<RaidEvent>;
  },
  actions: {
    ...effects,
    armCountdown: raise(
      { type: "countdownOver", viewers: 0, isAccepted: false, at: 0 },
      { id: COUNTDOWN, delay: "countdown" },
    ),
    disarmCountdown: cancel(COUNTDOWN),
    noteDeparture: assign({
      startedAt: ({ event }) => event.at,
      viewers: ({ context, event }) => ("viewers" in event ? event.viewers : context.viewers),
    }),
    noteSettled: assign({
      settled: ({ context, event }) => settledAfter(context.settled, event),
    }),
    noteCompletion: assign({
      completedAt: ({ event }) => event.at,
      viewers: ({ context }) => context.settled.arrived,
    }),
    armSettling: raise({ type: SETTLE, batch: null, at: 0 }, { id: SETTLE, delay: "settleAgain" }),
    disarmSettling: cancel(SETTLE),
  },
  guards: {
    ...settlingGuards,
    isAccepted: ({ event }) => "isAccepted" in event && event.isAccepted,
  },
  delays: {
    hold: RAID_HOLD_MS,
    countdown: RAID_COUNTDOWN_MS,
    arrival: RAID_ARRIVAL_MS,
    settleAgain: SETTLE_AGAIN_MS,
  },
});

/** To where it goes, or to nowhere when the target doesn't let it in any more. */
const departure = [{ guard: "isAccepted", target: "#raid.active" }, { target: "#raid.cancelled" }] as const;

const settleArrivals = {
  type: "settleArrivals",
  params: ({ event }: { event: RaidEvent }) => batchOf(event),
} as const;

/** Raid (spec §3): pending → active → completed | cancelled. */
export const raidMachine = machine.createMachine({
  id: "raid",
  description:
    "A raid. Its public status is the outer state. In `held` it can't be started yet; in `settling` those that arrived " +
    "get their points in batches, each a commit of its own, and a timer takes over when the process that did it has died.",
  initial: "pending",
  context: ({ input: { at, ...input } }) => ({
    ...input,
    createdAt: at,
    startedAt: null,
    completedAt: null,
    viewers: 0,
    settled: { cursor: "", arrived: 0 },
  }),
  states: {
    pending: {
      entry: ["armCountdown", announce("raid.pending")],
      exit: "disarmCountdown",
      on: { countdownOver: departure, cancel: "cancelled", targetWentOffline: "cancelled" },
      initial: "held",
      states: {
        held: { after: { hold: "ready" } },
        ready: { on: { start: departure } },
      },
    },
    active: {
      entry: ["noteDeparture", announce("raid.go"), announce("raid.incoming"), "raiseShield"],
      initial: "arriving",
      states: {
        arriving: { after: { arrival: "settling" } },
        settling: machine.createStateConfig(settlingState("settling", "#raid.completed", settleArrivals)),
      },
    },
    completed: { type: "final", entry: ["noteCompletion", "hostTarget"] },
    cancelled: { type: "final", entry: announce("raid.cancelled") },
  },
});
