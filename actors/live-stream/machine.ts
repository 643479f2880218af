import { assign, setup } from "xstate";
import type { Stamped } from "../host/actor-types.ts";
import { type EffectsOf, effect } from "../host/effect.ts";
import { type CommandOf, commandsOf, count, exactly, orNull, type Static, word } from "../host/schemas.ts";

/** Rises with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const LIVE_STREAM_VERSION = 1;

export const liveStreamContext = exactly({
  ownerId: word,
  /** The RTMP server's id of the connected publisher; null when none is. */
  clientId: orNull(word),
  /** The broadcast that runs or begins; null when offline. */
  sessionId: orNull(word),
  /** Unix ms since when viewers see something; null before. */
  liveSince: orNull(count),
});

export const liveStreamCommands = commandsOf({
  /** `keyHash` is of the key that the publisher showed; `sessionId` is new, for the case that a broadcast begins. */
  published: { clientId: word, sessionId: word, keyHash: word },
  publishEnded: { clientId: word },
  keyRotated: {},
  ownerBanned: {},
});

export const liveStreamInput = exactly({ ownerId: word });

export type LiveStreamInput = Static<typeof liveStreamInput>;
export type LiveStreamContext = Static<typeof liveStreamContext>;
export type LiveStreamCommand = CommandOf<typeof liveStreamCommands>;
export type LiveStreamEvent = LiveStreamCommand;

export type EndReason = "finished" | "key_rotated" | "banned";

const effects = {
  goLive: effect<{ sessionId: string; liveSince: number }>(),
  goOffline: effect<{ sessionId: string; endedAt: number; reason: EndReason }>(),
};
export type LiveStreamEffects = EffectsOf<typeof effects>;

const machine = setup({
  types: {} as {
    context: LiveStreamContext;
    input: LiveStreamInput & { at: number };
    events: Stamped<LiveStreamEvent>;
  },
  actions: {
    ...effects,
    takePublisher: assign({
      clientId: ({ context, event }) => (event.type === "published" ? event.clientId : context.clientId),
      // A publisher that comes back within the grace continues the broadcast it left.
      sessionId: ({ context, event }) =>
        context.sessionId ?? (event.type === "published" ? event.sessionId : null),
    }),
    dropPublisher: assign({ clientId: null }),
    noteLive: assign({ liveSince: ({ event }) => event.at }),
    forget: assign({ clientId: null, sessionId: null, liveSince: null }),
  },
  guards: {
    isConnected: ({ context, event }) => event.type === "publishEnded" && event.clientId === context.clientId,
    isAgain: ({ context, event }) => event.type === "published" && event.clientId === context.clientId,
  },
  delays: { firstPicture: 5_000, grace: 90_000 },
});

type Args = { context: LiveStreamContext; event: Stamped<LiveStreamEvent> };

function sessionOf({ context }: Args): string {
  if (context.sessionId === null) throw new Error("there is no broadcast");
  return context.sessionId;
}

const goLive = {
  type: "goLive",
  params: (args: Args) => ({ sessionId: sessionOf(args), liveSince: args.event.at }),
} as const;

const endedBecause = (reason: EndReason) =>
  ({
    target: "offline",
    actions: [
      {
        type: "goOffline",
        params: (args: Args) => ({ sessionId: sessionOf(args), endedAt: args.event.at, reason }),
      },
      "forget",
    ],
  }) as const;

/** A hook that the server sends twice is one: the same publisher is let in again, and nothing changes. */
const sameAgain = { guard: "isAgain", actions: "takePublisher" } as const;

/** Live stream (spec §3 Stream.is_live): true while live or interrupted. One broadcast from picture to end of grace. */
export const liveStreamMachine = machine.createMachine({
  id: "live-stream",
  description: "A stream going live and ending. Viewers see it as live in `live` and in `interrupted`.",
  initial: "offline",
  context: ({ input }) => ({ ownerId: input.ownerId, clientId: null, sessionId: null, liveSince: null }),
  states: {
    offline: {
      on: { published: { target: "starting", actions: "takePublisher" } },
    },
    starting: {
      after: { firstPicture: { target: "live", actions: ["noteLive", goLive] } },
      on: {
        published: sameAgain,
        publishEnded: { guard: "isConnected", target: "offline", actions: "forget" },
        keyRotated: { target: "offline", actions: "forget" },
        ownerBanned: { target: "offline", actions: "forget" },
      },
    },
    live: {
      on: {
        published: sameAgain,
        publishEnded: { guard: "isConnected", target: "interrupted", actions: "dropPublisher" },
        keyRotated: endedBecause("key_rotated"),
        ownerBanned: endedBecause("banned"),
      },
    },
    interrupted: {
      after: { grace: endedBecause("finished") },
      on: {
        published: { target: "live", actions: "takePublisher" },
        keyRotated: endedBecause("key_rotated"),
        ownerBanned: endedBecause("banned"),
      },
    },
  },
});
