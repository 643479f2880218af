import Type from "typebox";
import { assign, setup } from "xstate";
import type { Stamped } from "../host/actor-types.ts";
import { type EffectsOf, effect } from "../host/effect.ts";
import { type CommandOf, commandsOf, count, exactly, orNull, type Static, word } from "../host/schemas.ts";

/** Rises with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const LIVE_STREAM_VERSION = 3;

export const liveStreamContext = exactly({
  ownerId: word,
  /** The RTMP server's id of the connected publisher; null when none is. */
  clientId: orNull(word),
  /** The broadcast that runs or begins; null when offline. */
  sessionId: orNull(word),
  /** Unix ms since when viewers see something, by the media service's time where it tells; null before. */
  liveSince: orNull(count),
  /** When the last publisher came, Unix ms; what the media service saw before is of another one. Null when offline. */
  publishedAt: orNull(count),
  /** Whether the media service will tell that there is a picture. */
  waitsForMedia: Type.Boolean(),
  /** The newest of what the media service saw of this publisher, by its own time, Unix ms; null for nothing yet. */
  mediaAt: orNull(count),
});

const sealed = Type.String({ minLength: 1, maxLength: 1_024 });

export const liveStreamCommands = commandsOf({
  /** `keyHash` is of the key that the publisher showed; `sessionId` is new, for the case that a broadcast begins. */
  published: { clientId: word, sessionId: word, keyHash: word, waitsForMedia: Type.Boolean() },
  publishEnded: { clientId: word },
  /**
   * What the media service sees, and when, Unix ms. It may be late, repeated, and in another order. `sessionId` is new, for
   * the case that a broadcast begins.
   */
  mediaLive: { mediaStreamId: orNull(word), seenAt: count, sessionId: word },
  mediaIdle: { seenAt: count },
  /** Another key holds from now on: its hash, and itself, sealed. */
  keyRotated: { keyHash: word, keySealed: sealed },
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
  nameMediaStream: effect<{ mediaStreamId: string | null }>(),
  setKey: effect<{ keyHash: string; keySealed: string }>(),
  /** Whoever is still connected at the RTMP server is to be dropped there. */
  cutOff: effect<{ clientId: string | null }>(),
};
export type LiveStreamEffects = EffectsOf<typeof effects>;

type Args = { context: LiveStreamContext; event: Stamped<LiveStreamEvent> };

/** Clocks that don't agree: what was seen this long before its publisher came still counts as of that publisher. */
const SKEW_MS = 5_000;

const seenAtOf = ({ event }: Args): number => ("seenAt" in event ? event.seenAt : -1);

/** When viewers began to see something: a report may come late, and clocks differ, so not before its publisher or ahead of us. */
function liveSinceOf({ context, event }: Args): number {
  if (event.type !== "mediaLive") return event.at;
  return Math.min(event.at, Math.max(event.seenAt, context.publishedAt ?? 0));
}

const isOfPublisher = (args: Args): boolean =>
  args.context.clientId !== null &&
  args.context.publishedAt !== null &&
  seenAtOf(args) >= args.context.publishedAt - SKEW_MS;

const machine = setup({
  types: {} as {
    context: LiveStreamContext;
    input: LiveStreamInput & { at: number };
    events: Stamped<LiveStreamEvent>;
  },
  actions: {
    ...effects,
    takePublisher: assign({
      publishedAt: ({ event }) => event.at,
      mediaAt: null,
      waitsForMedia: ({ context, event }) =>
        event.type === "published" ? event.waitsForMedia : context.waitsForMedia,
      clientId: ({ context, event }) => (event.type === "published" ? event.clientId : context.clientId),
      // A publisher that comes back within the grace continues the broadcast it left.
      sessionId: ({ context, event }) =>
        context.sessionId ?? (event.type === "published" ? event.sessionId : null),
    }),
    keepPublisher: assign({}),
    dropPublisher: assign({ clientId: null }),
    noteLive: assign({ liveSince: liveSinceOf }),
    noteMedia: assign({
      mediaAt: ({ context, event }) =>
        "seenAt" in event ? Math.max(event.seenAt, context.mediaAt ?? 0) : context.mediaAt,
    }),
    beginSession: assign({
      sessionId: ({ context, event }) =>
        context.sessionId ?? (event.type === "mediaLive" ? event.sessionId : null),
    }),
    /** The publisher stays, and its next picture begins another broadcast. */
    endSession: assign({ sessionId: null, liveSince: null }),
    forget: assign({ clientId: null, sessionId: null, liveSince: null, publishedAt: null, mediaAt: null }),
  },
  guards: {
    isConnected: ({ context, event }) => event.type === "publishEnded" && event.clientId === context.clientId,
    isAgain: ({ context, event }) => event.type === "published" && event.clientId === context.clientId,
    showsByItself: ({ context }) => !context.waitsForMedia && context.sessionId !== null,
    isConnectedStill: ({ context }) => context.clientId !== null,
    /** Of a broadcast that has ended without a picture, what was seen before its last idling is old. */
    isPicture: (args) =>
      isOfPublisher(args) &&
      (args.context.sessionId !== null || seenAtOf(args) > (args.context.mediaAt ?? -1)),
    /** It has idled since: the hooks come in another order than they happened. Of the same moment, the idling counts. */
    isPictureBehind: (args) =>
      isOfPublisher(args) &&
      args.context.sessionId !== null &&
      seenAtOf(args) <= (args.context.mediaAt ?? -1),
    isNewPicture: (args) => isOfPublisher(args) && seenAtOf(args) > (args.context.mediaAt ?? -1),
    isIdling: (args) => isOfPublisher(args) && seenAtOf(args) >= (args.context.mediaAt ?? -1),
    isOfPublisher: (args) => isOfPublisher(args),
  },
  delays: { firstPicture: 5_000, grace: 90_000 },
});

function sessionOf({ context }: Args): string {
  if (context.sessionId === null) throw new Error("there is no broadcast");
  return context.sessionId;
}

const goLive = {
  type: "goLive",
  params: (args: Args) => ({ sessionId: sessionOf(args), liveSince: liveSinceOf(args) }),
} as const;

const nameMediaStream = {
  type: "nameMediaStream",
  params: ({ event }: Args) => ({ mediaStreamId: event.type === "mediaLive" ? event.mediaStreamId : null }),
} as const;

const goesLive = ["beginSession", "noteLive", goLive, nameMediaStream] as const;

const goOffline = (reason: EndReason) =>
  ({
    type: "goOffline",
    params: (args: Args) => ({ sessionId: sessionOf(args), endedAt: args.event.at, reason }),
  }) as const;

const setKey = {
  type: "setKey",
  params: ({ event }: Args) => {
    if (event.type !== "keyRotated") throw new Error("there is no key in this");
    return { keyHash: event.keyHash, keySealed: event.keySealed };
  },
} as const;

const cutOff = {
  type: "cutOff",
  params: ({ context }: Args) => ({ clientId: context.clientId }),
} as const;

const finished = { target: "offline", actions: [goOffline("finished"), "forget"] } as const;
/** Before it begins, and while it runs. */
const unbegun = {
  keyRotated: { target: "offline", actions: [setKey, cutOff, "forget"] },
  ownerBanned: { target: "offline", actions: [cutOff, "forget"] },
} as const;
const ended = {
  keyRotated: { target: "offline", actions: [goOffline("key_rotated"), setKey, cutOff, "forget"] },
  ownerBanned: { target: "offline", actions: [goOffline("banned"), cutOff, "forget"] },
} as const;

/** A hook that the server sends twice is one: the same publisher is let in again, and nothing changes. */
const sameAgain = { guard: "isAgain", actions: "keepPublisher" } as const;

/** Live stream (spec §3 Stream.is_live): true while live or interrupted. One broadcast from picture to end of grace. */
export const liveStreamMachine = machine.createMachine({
  id: "live-stream",
  description: "A stream going live and ending. Viewers see it as live in `live` and in `interrupted`.",
  initial: "offline",
  context: ({ input }) => ({
    ownerId: input.ownerId,
    clientId: null,
    sessionId: null,
    liveSince: null,
    publishedAt: null,
    waitsForMedia: false,
    mediaAt: null,
  }),
  states: {
    offline: {
      on: { published: { target: "starting", actions: "takePublisher" }, keyRotated: { actions: setKey } },
    },
    starting: {
      after: { firstPicture: { guard: "showsByItself", target: "live", actions: ["noteLive", goLive] } },
      on: {
        published: sameAgain,
        mediaLive: [
          { guard: "isPictureBehind", target: "interrupted", actions: goesLive },
          { guard: "isPicture", target: "live", actions: ["noteMedia", ...goesLive] },
        ],
        mediaIdle: { guard: "isOfPublisher", actions: "noteMedia" },
        publishEnded: { guard: "isConnected", target: "offline", actions: "forget" },
        ...unbegun,
      },
    },
    live: {
      on: {
        published: sameAgain,
        publishEnded: { guard: "isConnected", target: "interrupted", actions: "dropPublisher" },
        mediaLive: { guard: "isNewPicture", actions: ["noteMedia", nameMediaStream] },
        mediaIdle: { guard: "isIdling", target: "interrupted", actions: "noteMedia" },
        ...ended,
      },
    },
    interrupted: {
      after: {
        grace: [
          // Its encoder may be there without a picture for hours, and go on.
          { guard: "isConnectedStill", target: "starting", actions: [goOffline("finished"), "endSession"] },
          finished,
        ],
      },
      on: {
        published: [sameAgain, { target: "live", actions: "takePublisher" }],
        // Without a picture, and now gone as well.
        publishEnded: { guard: "isConnected", actions: "dropPublisher" },
        mediaLive: { guard: "isNewPicture", target: "live", actions: ["noteMedia", nameMediaStream] },
        mediaIdle: { guard: "isOfPublisher", actions: "noteMedia" },
        ...ended,
      },
    },
  },
});
