import Type from "typebox";
import { assign, setup } from "xstate";
import type { Stamped } from "../host/actor-types.ts";
import { type EffectsOf, effect } from "../host/effect.ts";
import {
  type CommandOf,
  commandsOf,
  count,
  exactly,
  identifier,
  orNull,
  type Static,
} from "../host/schemas.ts";

/** Incremented with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const LIVE_STREAM_VERSION = 3;

/** From a publisher's connection until viewers are shown it, where no media service says that there is a picture. */
export const FIRST_PICTURE_MS = 5_000;
/** How long a broadcast waits for a publisher that is gone, or a picture that is missing. */
export const BROADCAST_GRACE_MS = 90_000;

export const liveStreamContext = exactly({
  ownerId: identifier,
  /** The RTMP server's id of the connected publisher; null when none is. */
  clientId: orNull(identifier),
  /** The broadcast that is running or starting; null when offline. */
  sessionId: orNull(identifier),
  /** Since when viewers see a picture, Unix ms, by the media service's clock if it reports; null before. */
  liveSince: orNull(count),
  /** When the last publisher connected, Unix ms; earlier media reports are about another publisher. Null when offline. */
  publishedAt: orNull(count),
  /** Whether the media service will report that there is a picture. */
  waitsForMedia: Type.Boolean(),
  /** Watermark: the time of the newest media report about this publisher, by the media service's clock, Unix ms; or null. */
  mediaAt: orNull(count),
});

const sealed = Type.String({ minLength: 1, maxLength: 1_024 });

export const liveStreamCommands = commandsOf({
  /** `keyHash` is of the key that the publisher presented; `sessionId` is a new id, used if a broadcast begins. */
  published: {
    clientId: identifier,
    sessionId: identifier,
    keyHash: identifier,
    waitsForMedia: Type.Boolean(),
  },
  publishEnded: { clientId: identifier },
  /**
   * Media reports; `seenAt` is the media service's time, Unix ms. They may come late, repeatedly and out of order. `sessionId` is
   * a new id, used if a broadcast begins.
   */
  mediaLive: { mediaStreamId: orNull(identifier), seenAt: count, sessionId: identifier },
  mediaIdle: { seenAt: count },
  /** The new key: its hash, and the sealed key itself. */
  keyRotated: { keyHash: identifier, keySealed: sealed },
  ownerBanned: {},
});

export const liveStreamInput = exactly({ ownerId: identifier });

export type LiveStreamInput = Static<typeof liveStreamInput>;
export type LiveStreamContext = Static<typeof liveStreamContext>;
export type LiveStreamCommand = CommandOf<typeof liveStreamCommands>;
export type LiveStreamEvent = LiveStreamCommand;

type EndReason = "finished" | "key_rotated" | "banned";

const effects = {
  goLive: effect<{ sessionId: string; liveSince: number }>(),
  goOffline: effect<{ sessionId: string; endedAt: number; reason: EndReason }>(),
  nameMediaStream: effect<{ mediaStreamId: string | null }>(),
  setKey: effect<{ keyHash: string; keySealed: string }>(),
  /** Has the RTMP server drop the publisher that is still connected. */
  cutOff: effect<{ clientId: string | null }>(),
};
export type LiveStreamEffects = EffectsOf<typeof effects>;

type Args = { context: LiveStreamContext; event: Stamped<LiveStreamEvent> };

/** Tolerated clock skew: a media report from up to this long before the publisher connected still counts for it. */
const SKEW_MS = 5_000;

const seenAtOf = ({ event }: Args): number => ("seenAt" in event ? event.seenAt : -1);

/**
 * When viewers began to see a picture. Reports may be late and clocks differ, so it is limited to between the publisher's
 * connection and now.
 */
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
      // A publisher that reconnects within the grace period continues its broadcast.
      sessionId: ({ context, event }) =>
        context.sessionId ?? (event.type === "published" ? event.sessionId : null),
    }),
    // The host refuses an event for which a state has neither a target nor an action; this one is accepted and changes nothing.
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
    /** The publisher stays connected; its next picture begins a new broadcast. */
    endSession: assign({ sessionId: null, liveSince: null }),
    forget: assign({ clientId: null, sessionId: null, liveSince: null, publishedAt: null, mediaAt: null }),
  },
  guards: {
    isConnected: ({ context, event }) => event.type === "publishEnded" && event.clientId === context.clientId,
    isAgain: ({ context, event }) => event.type === "published" && event.clientId === context.clientId,
    showsByItself: ({ context }) => !context.waitsForMedia && context.sessionId !== null,
    isConnectedStill: ({ context }) => context.clientId !== null,
    /** After a broadcast has ended without a picture, reports older than the last "idle" are stale. */
    isPicture: (args) =>
      isOfPublisher(args) &&
      (args.context.sessionId !== null || seenAtOf(args) > (args.context.mediaAt ?? -1)),
    /** A picture followed by a newer "idle" that arrived first. With equal timestamps, the "idle" wins. */
    isPictureBehind: (args) =>
      isOfPublisher(args) &&
      args.context.sessionId !== null &&
      seenAtOf(args) <= (args.context.mediaAt ?? -1),
    isNewPicture: (args) => isOfPublisher(args) && seenAtOf(args) > (args.context.mediaAt ?? -1),
    isIdling: (args) => isOfPublisher(args) && seenAtOf(args) >= (args.context.mediaAt ?? -1),
    isOfPublisher: (args) => isOfPublisher(args),
  },
  delays: { firstPicture: FIRST_PICTURE_MS, grace: BROADCAST_GRACE_MS },
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
/** `unbegun`: transitions before a broadcast runs; `ended`: while it runs. */
const unbegun = {
  keyRotated: { target: "offline", actions: [setKey, cutOff, "forget"] },
  ownerBanned: { target: "offline", actions: [cutOff, "forget"] },
} as const;
const ended = {
  keyRotated: { target: "offline", actions: [goOffline("key_rotated"), setKey, cutOff, "forget"] },
  ownerBanned: { target: "offline", actions: [goOffline("banned"), cutOff, "forget"] },
} as const;

/** A duplicate hook: the same publisher is accepted again, and nothing changes. */
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
          // The encoder may stay connected without a picture for hours, and then continue.
          { guard: "isConnectedStill", target: "starting", actions: [goOffline("finished"), "endSession"] },
          finished,
        ],
      },
      on: {
        published: [sameAgain, { target: "live", actions: "takePublisher" }],
        // There was no picture, and now the publisher has disconnected, too.
        publishEnded: { guard: "isConnected", actions: "dropPublisher" },
        mediaLive: { guard: "isNewPicture", target: "live", actions: ["noteMedia", nameMediaStream] },
        mediaIdle: { guard: "isOfPublisher", actions: "noteMedia" },
        ...ended,
      },
    },
  },
});
