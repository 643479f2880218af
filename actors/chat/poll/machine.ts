import Type from "typebox";
import { assign, setup } from "xstate";
import type { Stamped } from "../../host/actor-types.ts";
import { type EffectsOf, effect } from "../../host/effect.ts";
import { type CommandOf, commandsOf, count, exactly, identifier, type Static } from "../../host/schemas.ts";

/** Incremented with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const POLL_VERSION = 1;

const text = Type.String();
const option = { id: identifier, text };
/** The immutable part of the context, set at creation. `roomId` is the room's id in the moderation log. */
const given = {
  streamId: identifier,
  channelUserId: identifier,
  roomId: count,
  question: text,
  durationMs: count,
  createdBy: identifier,
};

export const pollContext = exactly({
  ...given,
  /** In display order. */
  options: Type.Array(exactly({ ...option, votes: count })),
  openedAt: count,
  /** When it will end; afterwards, when it ended. Unix ms. */
  endsAt: count,
});

export const pollCommands = commandsOf({
  vote: { userId: identifier, optionId: identifier },
  /** Sent by a moderator, or without a user when the broadcast has ended. */
  end: {},
});

export const pollInput = exactly({ ...given, options: Type.Array(exactly(option)) });
export type PollInput = Static<typeof pollInput>;
export type PollContext = Static<typeof pollContext>;
export type PollCommand = CommandOf<typeof pollCommands>;
type Vote = Extract<PollCommand, { type: "vote" }>;

const effects = {
  announce: effect<{ event: "chat.poll" | "chat.poll_ended" }>(),
  takeVote: effect<Vote>(),
  noteAct: effect<{ action: "poll_opened" | "poll_ended" }>(),
};
export type PollEffects = EffectsOf<typeof effects>;
const announce = (event: PollEffects["announce"]["event"]) =>
  ({ type: "announce", params: { event } }) as const;
const noteAct = (action: PollEffects["noteAct"]["action"]) =>
  ({ type: "noteAct", params: { action } }) as const;

const machine = setup({
  types: {} as {
    context: PollContext;
    input: PollInput & { at: number };
    events: Stamped<PollCommand>;
  },
  actions: {
    ...effects,
    addVote: assign({
      options: ({ context, event }) =>
        context.options.map((one) =>
          event.type === "vote" && one.id === event.optionId ? { ...one, votes: one.votes + 1 } : one,
        ),
    }),
    noteEnd: assign({ endsAt: ({ context, event }) => Math.min(context.endsAt, event.at) }),
  },
  delays: { voting: ({ context }) => context.durationMs },
});

const takeVote = {
  type: "takeVote",
  params: ({ event }: { event: PollCommand }) => {
    if (event.type !== "vote") throw new Error("only a vote is taken");
    return event;
  },
} as const;

export const pollMachine = machine.createMachine({
  id: "poll",
  description:
    "A poll of a chat. It takes one vote of each user until its time is over, a moderator ends it, or the broadcast ends.",
  initial: "active",
  context: ({ input: { at, options, ...input } }) => ({
    ...input,
    options: options.map((one) => ({ ...one, votes: 0 })),
    openedAt: at,
    endsAt: at + input.durationMs,
  }),
  states: {
    active: {
      entry: [announce("chat.poll"), noteAct("poll_opened")],
      exit: "noteEnd",
      after: { voting: "ended" },
      on: {
        vote: { actions: ["addVote", takeVote] },
        end: { target: "ended", actions: noteAct("poll_ended") },
      },
    },
    ended: { entry: announce("chat.poll_ended"), type: "final" },
  },
});
