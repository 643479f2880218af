import { processClock } from "../../../base/clock.ts";
import { withDeadline } from "../../../base/deadline.ts";
import { isMongoUnavailable, MongoDeadline } from "../../../base/failures/mongo.ts";
import type { Log } from "../../../base/log.ts";
import { isBefore, type Position } from "../../../base/room-position.ts";
import type { SubscriptionState } from "../../../contract/wire.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import type { Presence } from "../../rooms/presence.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { modesView } from "../../rooms/state/modes.ts";
import type { RoomFeed } from "../feed/room-feed.ts";
import { SharedReads } from "../feed/shared-reads.ts";
import type { MemberState, MemberStates } from "./member-state.ts";

/** Longer than the reads take, so that some dozen of them serve all clients that reconnect at once. */
const CACHE_MS = 50;
const MAX_ROOMS = 10_000;
/** How old it may be that a room is open: only its owner's ban or deletion changes that. */
const OPEN_MS = 1_000;
const MAX_TRIES = 3;
/** How long a join waits for MongoDB, ms. After a failure no join reads from it for PAUSE_MS. */
const MONGO_TIMEOUT_MS = 500;
const PAUSE_MS = 1_000;

/**
 * A room's state that is the same for everybody, at least as new as `position`: a socket that gets it also gets all events
 * after that. `parts` lacks what MongoDB didn't answer in time.
 */
type RoomView = {
  position: Position;
  memberState: MemberState;
  parts: SubscriptionState;
  viewerCount: number;
};

/** The initial state of a stream's viewers channel, at least as new as the feed was at `moves`. */
type ViewersView = { moves: number; isLive: boolean | undefined; viewerCount: number };

/** What a room's state has of one lifecycle: the open prediction, the open raids … */
export type RoomState = (streamId: string) => Promise<SubscriptionState>;

/**
 * The initial state of a subscription. Most of it is the same for everybody and is read once for all that join within a
 * moment; only the user's own part is read for each. The position is taken before the reads, so that what changes during
 * them comes as an event.
 */
export function createInitialStates(deps: {
  presence: Pick<Presence, "count">;
  roomStates: readonly RoomState[];
  streams: Pick<Streams, "find">;
  rooms: Pick<Rooms, "isOpen">;
  memberStates: MemberStates;
  log: Log;
}) {
  const { memberStates, presence, roomStates, streams, rooms } = deps;
  let skippedUntil = Number.NEGATIVE_INFINITY;
  const cache = { ttlMs: CACHE_MS, slowMs: MONGO_TIMEOUT_MS, maxEntries: MAX_ROOMS };
  // By feed: what was read for one that is closed may be older than the first event of the next.
  const shared = new SharedReads<RoomFeed, RoomView>(cache);
  const openRooms = new SharedReads<string, boolean>({ ...cache, ttlMs: OPEN_MS, slowMs: 2 * OPEN_MS });
  const sharedByViewers = new SharedReads<RoomFeed, ViewersView>(cache);

  async function read(feed: RoomFeed): Promise<RoomView> {
    const { position, streamId } = feed;
    const [memberState, viewerCount, ...parts] = await Promise.all([
      memberStates.of(streamId, null),
      orDefault(presence.count(streamId), 0),
      ...roomStates.map((partOf) => fromMongo(() => partOf(streamId))),
    ]);
    return { position, memberState, viewerCount, parts: Object.assign({}, ...parts) };
  }

  /** An optional part of the state is left out rather than failing the join. */
  function orDefault<T>(value: Promise<T>, otherwise: T): Promise<T> {
    return value.catch((err: unknown) => {
      deps.log.warn({ err }, "a part of a subscription's state was not to be had");
      return otherwise;
    });
  }

  /** Reads from MongoDB; undefined if it doesn't answer soon, or has recently failed. */
  async function fromMongo<T>(read: () => Promise<T>): Promise<T | undefined> {
    if (performance.now() < skippedUntil) return undefined;
    return orDefault(
      withDeadline(read(), performance.now() + MONGO_TIMEOUT_MS, () => new MongoDeadline()).catch(
        (err: unknown) => {
          if (isMongoUnavailable(err)) skippedUntil = performance.now() + PAUSE_MS;
          throw err;
        },
      ),
      undefined,
    );
  }

  return {
    /** At least as new as `after`, where the client resumes. Throws unavailable. */
    async of(feed: RoomFeed, after: Position | null): Promise<RoomView> {
      for (let tries = 1; ; tries++) {
        const reading = shared.get(feed, () => read(feed));
        const view = await reading;
        // From a view of another epoch there would be no way to the feed's head. A second read began after this call, and so
        // after everything that the client has seen. A position that the room hasn't reached is nobody's: it is worth no read.
        const isSeen = after !== null && !isBefore(feed.position, after);
        const isStale = tries === 1 && isSeen && isBefore(view.position, after);
        const isUsable = view.position.epoch === feed.position.epoch && !isStale;
        if (isUsable || tries === MAX_TRIES) return view;
        shared.drop(feed, reading);
      }
    },
    /**
     * Whether the room may be followed by others than staff: the account of its owner is neither banned nor deleted. True while
     * MongoDB doesn't answer, like the rest of the state that it would bring.
     */
    isOpen: (streamId: string): Promise<boolean> =>
      openRooms.get(streamId, async () => (await fromMongo(() => rooms.isOpen(streamId))) ?? true),
    /** Throws unavailable. */
    viewersOf: (feed: RoomFeed): Promise<ViewersView> =>
      sharedByViewers.get(feed, async () => {
        const { moves, streamId } = feed;
        const [stream, viewerCount] = await Promise.all([
          fromMongo(() => streams.find(streamId)),
          orDefault(presence.count(streamId), 0),
        ]);
        return {
          moves,
          isLive: stream === undefined ? undefined : (stream?.isLive ?? false),
          viewerCount,
        };
      }),
  };
}

export type InitialStates = ReturnType<typeof createInitialStates>;

/** `state` of a viewers subscription. That channel has no replay, so the state includes what happened since the view. */
export function viewersStateOf({ moves, isLive, viewerCount }: ViewersView, { broadcast }: RoomFeed) {
  const isOlder = broadcast !== null && moves < broadcast.moves;
  const live = isOlder ? broadcast.isLive : isLive;
  return { viewer_count: viewerCount, ...(live === undefined ? {} : { is_live: live }) };
}

/** `state` of a chat subscription. */
export function stateOf({ parts, viewerCount }: RoomView, own: MemberState) {
  return {
    modes: modesView(own.modes),
    ...ownStateOf(own),
    ...parts,
    viewer_count: viewerCount,
  };
}

/** The user's own part of that state. */
export function ownStateOf({ modes, role, chatRole, bannedUntilMs, lastSentMs }: MemberState) {
  const timedOut = bannedUntilMs !== null && bannedUntilMs > 0;
  const slowMs = modes.slow === null || role !== null || lastSentMs === null ? 0 : modes.slow * 1_000;
  const passedMs = lastSentMs === null ? slowMs : processClock.now() - lastSentMs;
  // Never more than one slow-mode interval: the room's times are Redis', whose clock may be another.
  const wait = Math.min(slowMs, slowMs - passedMs);
  return {
    role: chatRole,
    waits: {
      banned: bannedUntilMs === 0,
      timed_out_until: timedOut ? new Date(bannedUntilMs).toISOString() : null,
      slow_ms: wait > 0 ? wait : null,
    },
  };
}
