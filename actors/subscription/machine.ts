import { assign, setup } from "xstate";
import type { PlatformCall } from "../../store/mongo/platform-calls.ts";
import type { Stamped } from "../host/actor-types.ts";
import { type EffectsOf, effect } from "../host/effect.ts";
import { type CommandOf, count, exactly, type Static, word } from "../host/schemas.ts";
import { callsAfter } from "./calls-after.ts";
import { record, standingAt, withFact } from "./fact-log.ts";
import { FACTS, type Fact, type FactOf, factSchemas } from "./facts.ts";
import { changesAt, STATUSES, type SubscriptionStatus, standing } from "./standing.ts";

/** Rises with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const SUBSCRIPTION_VERSION = 2;

const people = { subscriberId: word, channelUserId: word };
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
  /** The payment that began it or a gift, if it was one, and what the platform has to be told. */
  book: effect<{ announced: FactOf<"paid"> | null; calls: PlatformCall[] }>(),
};
export type SubscriptionEffects = EffectsOf<typeof effects>;

type Happening = Stamped<{ type: string }>;
type Args = { context: SubscriptionContext; event: Happening };
type News = SubscriptionEffects["book"] & { context: SubscriptionContext };

const lately = new WeakMap<Happening, { context: SubscriptionContext; news: News }>();

/** What an event comes to with everything that is known; guards and actions of a step share it. */
function newsOf({ context, event }: Args): News {
  const known = lately.get(event);
  if (known?.context === context) return known.news;
  const news = findNews(context, event);
  lately.set(event, { context, news });
  return news;
}

function findNews(context: SubscriptionContext, event: Happening): News {
  const fact = factOf(event);
  const kept = fact ? withFact(context, fact) : context;
  const { base, facts } = kept;
  const standing = standingAt(kept, event.at);
  const booked = kept !== context && fact && !standing.unbooked.includes(fact.id) ? fact : null;
  return {
    context: { ...context, base, facts, standing, armedAt: event.at },
    announced: booked?.type === "paid" && booked.isGift ? booked : null,
    calls: callsAfter(context.standing, standing, booked),
  };
}

/** Null for a timer. A fact is kept without the time of its arrival. */
function factOf(event: Happening): Fact | null {
  if (!isFact(event)) return null;
  const { at: _arrived, ...fact } = event;
  return fact;
}

const isFact = (event: Happening): event is Stamped<Fact> => Object.hasOwn(FACTS, event.type);

const machine = setup({
  types: {} as {
    context: SubscriptionContext;
    input: SubscriptionInput & { at: number };
    events: Stamped<SubscriptionEvent>;
  },
  actions: {
    ...effects,
    record: assign((args) => newsOf(args).context),
  },
  guards: {
    becomes: (args, { status }: { status: SubscriptionStatus }) =>
      newsOf(args).context.standing.status === status,
  },
  delays: {
    untilDue: ({ context: { standing, armedAt } }) => Math.max(0, (changesAt(standing) ?? armedAt) - armedAt),
  },
});

/** Wherever the whole record leads, now that this is known too. */
const asItStands = STATUSES.map(
  (status) =>
    ({
      guard: { type: "becomes", params: { status } },
      target: status,
      reenter: true,
      actions: [
        {
          type: "book",
          params: (args: Args) => {
            const { announced, calls } = newsOf(args);
            return { announced, calls };
          },
        },
        "record",
      ],
    }) as const,
);

/** What the platform reports is heard in every state, since it comes late. */
const REPORTS = {
  paid: asItStands,
  renewed: asItStands,
  paymentFailed: asItStands,
  stopped: asItStands,
  ended: asItStands,
};

/**
 * Subscription (spec §3). What a state is, is decided by standing.ts from all facts in the order in which they happened; a
 * transition is what one more fact, or the time, changes of that.
 */
export const subscriptionMachine = machine.createMachine({
  id: "subscription",
  description:
    "A subscription of one user to one channel. Every transition leads to where all that is known leads, in the order in " +
    "which it happened: the picture shows what is possible, standing.ts what happens.",
  initial: "active",
  entry: {
    type: "book",
    params: ({ context }: { context: SubscriptionContext }) => ({ announced: firstOf(context), calls: [] }),
  },
  context: ({ input: { subscriberId, channelUserId, first, at } }) => {
    const kept = { base: null, facts: [{ type: "paid" as const, ...first }] };
    return {
      subscriberId,
      channelUserId,
      ...kept,
      standing: standingAt(kept, first.happenedAt),
      armedAt: at,
    };
  },
  states: {
    active: {
      after: { untilDue: asItStands },
      on: { ...REPORTS, cancel: asItStands, downgrade: asItStands },
    },
    past_due: {
      after: { untilDue: asItStands },
      on: { ...REPORTS, cancel: asItStands },
    },
    cancelled: {
      after: { untilDue: asItStands },
      on: { ...REPORTS, resume: asItStands },
    },
    expired: { on: REPORTS },
  },
});

function firstOf({ facts }: SubscriptionContext): FactOf<"paid"> {
  const [first] = facts;
  if (first?.type !== "paid") throw new Error("a subscription begins with a payment");
  return first;
}
