import { assign, setup } from "xstate";
import type { PlatformCall } from "../../../store/mongo/monetization/platform-calls.ts";
import {
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
} from "../../../store/mongo/monetization/subscriptions.ts";
import type { Stamped } from "../../host/actor-types.ts";
import { type EffectsOf, effect } from "../../host/effect.ts";
import { type CommandOf, count, exactly, identifier, type Static } from "../../host/schemas.ts";
import { callsAfter } from "./calls-after.ts";
import { record, standingAt, withFact } from "./fact-log.ts";
import { FACTS, type Fact, type FactOf, factSchemas } from "./facts.ts";
import { changesAt, standing } from "./standing.ts";

/** Incremented with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const SUBSCRIPTION_VERSION = 3;

const people = { subscriberId: identifier, channelUserId: identifier };
export const subscriptionContext = exactly({
  ...people,
  ...record,
  standing,
  /** When its timer was set, Unix ms. */
  armedAt: count,
});
export const subscriptionCommands = factSchemas;
export const subscriptionInput = exactly({ ...people, first: exactly(FACTS.paid) });

export type SubscriptionContext = Static<typeof subscriptionContext>;
export type SubscriptionInput = Static<typeof subscriptionInput>;
export type SubscriptionCommand = CommandOf<typeof subscriptionCommands>;
export type SubscriptionEvent = SubscriptionCommand;

const effects = {
  /** `announced`: the first payment, or a gift; `calls`: the calls to the platform. */
  book: effect<{ announced: FactOf<"paid"> | null; calls: PlatformCall[] }>(),
};
export type SubscriptionEffects = EffectsOf<typeof effects>;

type MachineEvent = Stamped<{ type: string }>;
type Args = { context: SubscriptionContext; event: MachineEvent };
type Outcome = SubscriptionEffects["book"] & { context: SubscriptionContext };

const outcomes = new WeakMap<MachineEvent, { context: SubscriptionContext; outcome: Outcome }>();

/** The outcome of an event. It is memoized, since guards and actions of one transition share it. */
function outcomeOf({ context, event }: Args): Outcome {
  const known = outcomes.get(event);
  if (known?.context === context) return known.outcome;
  const outcome = computeOutcome(context, event);
  outcomes.set(event, { context, outcome });
  return outcome;
}

function computeOutcome(context: SubscriptionContext, event: MachineEvent): Outcome {
  const fact = factOf(event);
  const log = fact ? withFact(context, fact) : context;
  const { base, facts } = log;
  const standing = standingAt(log, event.at);
  const booked = log !== context && fact && !standing.unbooked.includes(fact.id) ? fact : null;
  return {
    context: { ...context, base, facts, standing, armedAt: event.at },
    announced: booked?.type === "paid" && booked.isGift ? booked : null,
    calls: callsAfter(context.standing, standing, booked),
  };
}

/** Null for a timer's event. A fact is stored without its time of arrival. */
function factOf(event: MachineEvent): Fact | null {
  if (!isFact(event)) return null;
  const { at: _arrived, ...fact } = event;
  return fact;
}

const isFact = (event: MachineEvent): event is Stamped<Fact> => Object.hasOwn(FACTS, event.type);

const machine = setup({
  types: {} as {
    context: SubscriptionContext;
    input: SubscriptionInput & { at: number };
    events: Stamped<SubscriptionEvent>;
  },
  actions: {
    ...effects,
    record: assign((args) => outcomeOf(args).context),
  },
  guards: {
    becomes: (args, { status }: { status: SubscriptionStatus }) =>
      outcomeOf(args).context.standing.status === status,
  },
  delays: {
    untilDue: ({ context: { standing, armedAt } }) => Math.max(0, (changesAt(standing) ?? armedAt) - armedAt),
  },
});

/** Transitions to whichever state the whole record now leads to. */
const toCurrentState = SUBSCRIPTION_STATUSES.map(
  (status) =>
    ({
      guard: { type: "becomes", params: { status } },
      target: status,
      reenter: true,
      actions: [
        {
          type: "book",
          params: (args: Args) => {
            const { announced, calls } = outcomeOf(args);
            return { announced, calls };
          },
        },
        "record",
      ],
    }) as const,
);

/** The platform's reports are accepted in every state, because they may come late. */
const REPORTS = {
  paid: toCurrentState,
  renewed: toCurrentState,
  paymentFailed: toCurrentState,
  stopped: toCurrentState,
  resumed: toCurrentState,
  ended: toCurrentState,
};

/**
 * Subscription (docs/interface.md#3-states). standing.ts determines the state from all facts in the order in which they
 * happened; a transition is the difference that one more fact, or time, makes.
 */
export const subscriptionMachine = machine.createMachine({
  id: "subscription",
  description:
    "A subscription of one user to one channel. Every transition leads to where all that is known leads, in the order in " +
    "which it happened: the picture shows what is possible, standing.ts what happens, and after what times.",
  initial: "active",
  entry: {
    type: "book",
    params: ({ context }: { context: SubscriptionContext }) => ({ announced: firstOf(context), calls: [] }),
  },
  context: ({ input: { subscriberId, channelUserId, first, at } }) => {
    const log = { base: null, facts: [{ type: "paid" as const, ...first }] };
    return {
      subscriberId,
      channelUserId,
      ...log,
      standing: standingAt(log, first.happenedAt),
      armedAt: at,
    };
  },
  states: {
    active: {
      after: { untilDue: toCurrentState },
      on: { ...REPORTS, cancel: toCurrentState, downgrade: toCurrentState },
    },
    past_due: {
      after: { untilDue: toCurrentState },
      on: { ...REPORTS, cancel: toCurrentState },
    },
    cancelled: {
      after: { untilDue: toCurrentState },
      on: { ...REPORTS, resume: toCurrentState },
    },
    expired: { on: REPORTS },
  },
});

function firstOf({ facts }: SubscriptionContext): FactOf<"paid"> {
  const [first] = facts;
  if (first?.type !== "paid") throw new Error("a subscription begins with a payment");
  return first;
}
