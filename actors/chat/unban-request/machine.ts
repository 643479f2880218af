import Type from "typebox";
import { assign, setup } from "xstate";
import { DAY_MS } from "../../../base/durations.ts";
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

/** Incremented with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const UNBAN_REQUEST_VERSION = 1;

/** How long a request may be pending. */
export const UNBAN_REQUEST_EXPIRY_MS = 14 * DAY_MS;

/** How long a user has to wait after a denied request. */
export const UNBAN_REQUEST_COOLDOWN_MS = DAY_MS;

const text = Type.String({ maxLength: 1_000 });

/** The immutable part of the context, set at creation. */
const given = { streamId: identifier, channelUserId: identifier, userId: identifier, message: text };

export const unbanRequestContext = exactly({
  ...given,
  /** Unix ms, as all times here. */
  requestedAt: count,
  resolvedAt: orNull(count),
  resolvedBy: orNull(identifier),
  note: orNull(text),
});

const decision = { moderatorId: identifier, note: orNull(text) };

export const unbanRequestCommands = commandsOf({
  approve: decision,
  deny: decision,
  /** Sent when the ban is lifted in another way. */
  banLifted: {},
});

export const unbanRequestInput = exactly(given);
export type UnbanRequestInput = Static<typeof unbanRequestInput>;
export type UnbanRequestContext = Static<typeof unbanRequestContext>;
export type UnbanRequestCommand = CommandOf<typeof unbanRequestCommands>;

const effects = {
  /** Tells moderators and the user of the new request. */
  announce: effect<undefined>(),
  /** Lifts the ban if it is an `unban`; in any case it is in the moderation log. */
  moderate: effect<{ action: "unban" | "unban_request_denied" }>(),
  /** Tells moderators and the user of its end. */
  conclude: effect<undefined>(),
};
export type UnbanRequestEffects = EffectsOf<typeof effects>;
const moderate = (action: UnbanRequestEffects["moderate"]["action"]) =>
  ({ type: "moderate", params: { action } }) as const;

/** Unban request: pending → approved | denied | expired. */
export const unbanRequestMachine = setup({
  types: {} as {
    context: UnbanRequestContext;
    input: UnbanRequestInput & { at: number };
    events: Stamped<UnbanRequestCommand>;
  },
  actions: {
    ...effects,
    noteDecision: assign({
      resolvedBy: ({ context, event }) => ("moderatorId" in event ? event.moderatorId : context.resolvedBy),
      note: ({ context, event }) => ("note" in event ? event.note : context.note),
    }),
    noteEnd: assign({ resolvedAt: ({ event }) => event.at }),
  },
  delays: { expiry: UNBAN_REQUEST_EXPIRY_MS },
}).createMachine({
  id: "unban-request",
  description:
    "What a banned user writes to the moderators of a chat. One of them decides, once. Approving lifts the ban in the same commit. It " +
    "expires after 14 days, or when the ban is lifted in another way.",
  initial: "pending",
  context: ({ input: { at, ...input } }) => ({
    ...input,
    requestedAt: at,
    resolvedAt: null,
    resolvedBy: null,
    note: null,
  }),
  states: {
    pending: {
      entry: "announce",
      exit: "noteEnd",
      after: { expiry: "expired" },
      on: {
        approve: { target: "approved", actions: ["noteDecision", moderate("unban")] },
        deny: { target: "denied", actions: ["noteDecision", moderate("unban_request_denied")] },
        banLifted: "expired",
      },
    },
    approved: { type: "final", entry: "conclude" },
    denied: { type: "final", entry: "conclude" },
    expired: { type: "final", entry: "conclude" },
  },
});
