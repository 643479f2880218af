import { setup } from "xstate";
import { DAY_MS } from "../../../base/durations.ts";
import type { Stamped } from "../../host/actor-types.ts";
import { type EffectsOf, effect } from "../../host/effect.ts";
import { type CommandOf, commandsOf, count, exactly, identifier, type Static } from "../../host/schemas.ts";

/** Incremented with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const REDEMPTION_VERSION = 1;

/** How long a redemption may be pending. */
export const REDEMPTION_EXPIRY_MS = 30 * DAY_MS;

/** Data from the purchase; the actor isn't created until something is decided. */
export const redemptionInput = exactly({ rewardId: identifier, redeemerId: identifier, boughtAt: count });

export const redemptionContext = exactly({
  rewardId: identifier,
  redeemerId: identifier,
  boughtAt: count,
  /** The time left until expiry when its actor was created, ms. */
  leftMs: count,
});

export const redemptionCommands = commandsOf({ fulfil: {}, refund: {} });

export type RedemptionInput = Static<typeof redemptionInput>;
export type RedemptionContext = Static<typeof redemptionContext>;
export type RedemptionCommand = CommandOf<typeof redemptionCommands>;

const effects = { conclude: effect<undefined>() };
export type RedemptionEffects = EffectsOf<typeof effects>;

/** Redemption (docs/interface.md#3-states): pending → fulfilled | refunded. */
export const redemptionMachine = setup({
  types: {} as {
    context: RedemptionContext;
    input: RedemptionInput & { at: number };
    events: Stamped<RedemptionCommand>;
  },
  actions: effects,
  // The name stays, since stored timers carry it.
  delays: { forgotten: ({ context }) => context.leftMs },
}).createMachine({
  id: "redemption",
  description:
    "A redemption of a reward, whose price was taken when it was bought. Its actor comes to be with the first decision; " +
    "one that was pending for 30 days by then is refunded before anything else.",
  initial: "pending",
  context: ({ input: { at, ...input } }) => ({
    ...input,
    leftMs: Math.max(0, input.boughtAt + REDEMPTION_EXPIRY_MS - at),
  }),
  states: {
    pending: {
      after: { forgotten: "refunded" },
      on: { fulfil: "fulfilled", refund: "refunded" },
    },
    fulfilled: { type: "final", entry: "conclude" },
    refunded: { type: "final", entry: "conclude" },
  },
});
