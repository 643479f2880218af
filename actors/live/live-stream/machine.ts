import { assign, setup } from "xstate";
import type { Stamped } from "../../host/actor-types.ts";
import { type EffectsOf, effect } from "../../host/effect.ts";
import type { LiveStreamContext, LiveStreamEvent, LiveStreamInput } from "./schemas.ts";

/** Incremented with every change of states, delays or context: docs/actors.md, "When the machine changes". */
export const LIVE_STREAM_VERSION = 5;

/** From a publisher's connection until viewers are shown it, where no media service says that there is a picture. */
export const FIRST_PICTURE_MS = 5_000;
/** How long a broadcast waits for a publisher that is gone, or a picture that is missing. */
export const BROADCAST_GRACE_MS = 90_000;

type EndReason = "finished" | "ended" | "key_rotated" | "banned";

const effects = {
  goLive: effect<{ sessionId: string; liveSince: number }>(),
  goOffline: effect<{ sessionId: string; endedAt: number; reason: EndReason }>(),
  nameMediaStream: effect<{ mediaStreamId: string | null }>(),
  setKey: effect<{ keyHash: string; keySealed: string }>(),
  /** Records which publisher is connected, for updates of its server; null for none. */
  trackPublisher: effect<{ clientId: string | null; hasLease: boolean }>(),
  /** Says to the channel's owner how far the broadcast has come. */
  tellOwner: effect<undefined>(),
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
      lostClientId: null,
      // A publisher that reconnects within the grace period continues its broadcast.
      sessionId: ({ context, event }) =>
        context.sessionId ?? (event.type === "published" ? event.sessionId : null),
    }),
    // The host refuses an event for which a state has neither a target nor an action; this one is accepted and changes nothing.
    nothing: assign({}),
    dropPublisher: assign({ clientId: null, lostClientId: null }),
    losePublisher: assign({ clientId: null, lostClientId: ({ context }) => context.clientId }),
    takeBackPublisher: assign({ clientId: ({ context }) => context.lostClientId, lostClientId: null }),
    noteLive: assign({ liveSince: liveSinceOf }),
    noteMedia: assign({
      mediaAt: ({ context, event }) =>
        "seenAt" in event ? Math.max(event.seenAt, context.mediaAt ?? 0) : context.mediaAt,
    }),
    /** Only actors of version 3 wait for a picture without a broadcast. */
    beginSession: assign({
      sessionId: ({ context, event }) =>
        context.sessionId ?? (event.type === "mediaLive" ? event.sessionId : null),
    }),
    forget: assign({
      clientId: null,
      lostClientId: null,
      sessionId: null,
      liveSince: null,
      publishedAt: null,
      mediaAt: null,
    }),
  },
  guards: {
    isConnected: ({ context, event }) => "clientId" in event && event.clientId === context.clientId,
    isLost: ({ context, event }) => "clientId" in event && event.clientId === context.lostClientId,
    showsByItself: ({ context }) => !context.waitsForMedia && context.sessionId !== null,
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

/** Called after the publisher has changed. `hasLease`: its server sends updates. */
const trackPublisher = (hasLease: boolean) =>
  ({
    type: "trackPublisher",
    params: ({ context }: Args) => ({ clientId: context.clientId, hasLease }),
  }) as const;

/** A broadcast that has ended has no publisher. Not on entry of `offline`, which is also where an actor begins. */
const forget = ["forget", trackPublisher(false), "tellOwner"] as const;
const finished = { target: "offline", actions: [goOffline("finished"), cutOff, ...forget] } as const;
/** `unbegun`: transitions before a broadcast runs; `ended`: while it runs. */
const unbegun = {
  end: { target: "offline", actions: [cutOff, ...forget] },
  keyRotated: { target: "offline", actions: [setKey, cutOff, ...forget] },
  ownerBanned: { target: "offline", actions: [cutOff, ...forget] },
} as const;
const ended = {
  end: { target: "offline", actions: [goOffline("ended"), cutOff, ...forget] },
  keyRotated: { target: "offline", actions: [goOffline("key_rotated"), setKey, cutOff, ...forget] },
  ownerBanned: { target: "offline", actions: [goOffline("banned"), cutOff, ...forget] },
} as const;

/** A duplicate hook: the same publisher is accepted again. */
const sameAgain = { guard: "isConnected", actions: trackPublisher(false) } as const;
/** The publisher from before, if there is one, has given no sign for long: `decide` refuses another one until then. */
const takeOver = [cutOff, "takePublisher", trackPublisher(false)] as const;
const seen = { guard: "isConnected", actions: trackPublisher(true) } as const;
const leave = ["dropPublisher", trackPublisher(false)] as const;

/**
 * Live stream (Stream.is_live in docs/interface.md#3-states): true while live or interrupted. One broadcast from picture to end
 * of grace.
 */
export const liveStreamMachine = machine.createMachine({
  id: "live-stream",
  description: "A stream going live and ending. Viewers see it as live in `live` and in `interrupted`.",
  initial: "offline",
  context: ({ input }) => ({
    ownerId: input.ownerId,
    clientId: null,
    lostClientId: null,
    sessionId: null,
    liveSince: null,
    publishedAt: null,
    waitsForMedia: false,
    mediaAt: null,
  }),
  states: {
    offline: {
      on: {
        published: { target: "starting", actions: ["takePublisher", trackPublisher(false)] },
        keyRotated: { actions: setKey },
        end: { actions: "nothing" },
      },
    },
    starting: {
      entry: "tellOwner",
      after: { firstPicture: { guard: "showsByItself", target: "live", actions: ["noteLive", goLive] } },
      on: {
        published: [sameAgain, { target: "starting", reenter: true, actions: takeOver }],
        mediaLive: [
          { guard: "isPictureBehind", target: "interrupted", actions: goesLive },
          { guard: "isPicture", target: "live", actions: ["noteMedia", ...goesLive] },
        ],
        mediaIdle: { guard: "isOfPublisher", actions: "noteMedia" },
        publisherSeen: seen,
        publishEnded: { guard: "isConnected", target: "offline", actions: forget },
        publisherLost: { guard: "isConnected", target: "offline", actions: forget },
        ...unbegun,
      },
    },
    live: {
      entry: "tellOwner",
      on: {
        published: [sameAgain, { actions: takeOver }],
        mediaLive: { guard: "isNewPicture", actions: ["noteMedia", nameMediaStream] },
        mediaIdle: { guard: "isIdling", target: "interrupted", actions: "noteMedia" },
        publisherSeen: seen,
        publishEnded: { guard: "isConnected", target: "interrupted", actions: leave },
        publisherLost: {
          guard: "isConnected",
          target: "interrupted",
          actions: ["losePublisher", trackPublisher(false)],
        },
        ...ended,
      },
    },
    interrupted: {
      entry: "tellOwner",
      after: { grace: finished },
      on: {
        published: [sameAgain, { target: "live", actions: takeOver }],
        mediaLive: { guard: "isNewPicture", target: "live", actions: ["noteMedia", nameMediaStream] },
        mediaIdle: { guard: "isOfPublisher", actions: "noteMedia" },
        publisherSeen: [
          seen,
          { guard: "isLost", target: "live", actions: ["takeBackPublisher", trackPublisher(true)] },
        ],
        publishEnded: [
          // There was no picture, and now the publisher has disconnected, too.
          { guard: "isConnected", actions: leave },
          { guard: "isLost", actions: leave },
        ],
        publisherLost: { guard: "isConnected", actions: leave },
        ...ended,
      },
    },
  },
});
