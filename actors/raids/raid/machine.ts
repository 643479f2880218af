import Type from "typebox";
import { assign, cancel, raise, setup } from "xstate";
import type { RaidMemberDoc } from "../../../store/mongo/raids/raid-members.ts";
import { RAID_ARRIVAL_MS, RAID_COUNTDOWN_MS, RAID_HOLD_MS } from "../../../store/mongo/raids/raids.ts";
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
  SETTLE,
  SETTLE_TAKEOVER_MS,
  type SettleEvent,
  type SettlingBatch,
  settledAfter,
  settlingGuards,
  settlingState,
} from "../../host/settling.ts";

/** Incremented with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const RAID_VERSION = 2;

/** The immutable part of the context, set at creation. */
const given = {
  sourceUserId: identifier,
  sourceStreamId: identifier,
  targetUserId: identifier,
  targetStreamId: identifier,
  message: orNull(Type.String()),
  createdBy: identifier,
};

export const raidContext = exactly({
  ...given,
  /** Unix ms. */
  createdAt: count,
  startedAt: orNull(count),
  completedAt: orNull(count),
  /** Members that departed with it; once completed, those that arrived. */
  viewers: count,
  settled: exactly({
    /** The id of the last arrival settled; "" before the first. */
    cursor: Type.String(),
    /** The number of arrivals up to and including it. */
    arrived: count,
  }),
});

export const raidCommands = commandsOf({
  start: {},
  cancel: {},
  targetWentOffline: {},
  /** Sent by the machine's own timer, as a command, so that the number of departing members is read. */
  countdownOver: {},
});

export const raidInput = exactly(given);
export type RaidInput = Static<typeof raidInput>;
export type RaidContext = Static<typeof raidContext>;
export type RaidCommand = CommandOf<typeof raidCommands>;
type ArrivalProgress = RaidContext["settled"];
export type ArrivalsBatch = SettlingBatch<RaidMemberDoc, ArrivalProgress>;

/**
 * `viewers` is the number of members that depart with it; `isAccepted`: whether the target still accepts it; `keepsMessage`:
 * whether its room would still show the message.
 */
type Departure = {
  type: "start" | "countdownOver";
  viewers: number;
  isAccepted: boolean;
  keepsMessage: boolean;
};
export type RaidEvent =
  | Departure
  | { type: "cancel" }
  | { type: "targetWentOffline" }
  | SettleEvent<ArrivalsBatch>;

export type RaidUpdateType = "raid.pending" | "raid.go" | "raid.incoming" | "raid.cancelled";

const effects = {
  announce: effect<{ event: RaidUpdateType }>(),
  raiseShield: effect<undefined>(),
  settleArrivals: effect<ArrivalsBatch>(),
  hostTarget: effect<undefined>(),
};
export type RaidEffects = EffectsOf<typeof effects>;
const announce = (event: RaidUpdateType) => ({ type: "announce", params: { event } }) as const;

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
      { type: "countdownOver", viewers: 0, isAccepted: false, keepsMessage: false, at: 0 },
      { id: COUNTDOWN, delay: "countdown" },
    ),
    disarmCountdown: cancel(COUNTDOWN),
    noteDeparture: assign({
      startedAt: ({ event }) => event.at,
      viewers: ({ context, event }) => ("viewers" in event ? event.viewers : context.viewers),
      message: ({ context, event }) =>
        "keepsMessage" in event && event.keepsMessage ? context.message : null,
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
    settleAgain: SETTLE_TAKEOVER_MS,
  },
});

/** Departs, or is cancelled when the target doesn't accept it any more. */
const departure = [{ guard: "isAccepted", target: "#raid.active" }, { target: "#raid.cancelled" }] as const;

const settleArrivals = {
  type: "settleArrivals",
  params: ({ event }: { event: RaidEvent }) => batchOf(event),
} as const;

/** Raid (docs/interface.md#3-states): pending → active → completed | cancelled. */
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
