import type { DataOf, RaidNews } from "../../../specs/contract/wire.ts";
import { within } from "../../../store/deadline.ts";
import { isMongoUnavailable, MongoDeadline } from "../../../store/failures/mongo.ts";
import type { Log } from "../../../store/log.ts";
import type { Streams } from "../../../store/mongo/streams.ts";
import type { Position } from "../../../store/room-position.ts";
import type { Presence } from "../../rooms/presence.ts";
import { modesView } from "../../rooms/state/modes.ts";
import type { RoomFeed } from "../feed/room-feed.ts";
import { SharedReads } from "../feed/shared-reads.ts";
import type { MemberState, MemberStates } from "./member-state.ts";
import type { RaidMembership } from "./raid-member-writer.ts";

/** Longer than the reads take, so that some dozen of them serve all that reconnect at once. */
const KEPT_MS = 50;
const MAX_ROOMS = 10_000;
const TRIES = 3;
/** So long those who join wait for MongoDB, ms; after that nobody waits for it for some time. */
const PATIENCE_MS = 500;
const PAUSE_MS = 1_000;

/**
 * What a room is like for everybody, at least as of `position`: a socket that gets it also gets all events after that.
 * Undefined is what MongoDB didn't say in time.
 */
export type RoomView = {
  position: Position;
  memberState: MemberState;
  prediction: DataOf<"prediction.opened"> | null | undefined;
  poll: DataOf<"chat.poll"> | null | undefined;
  raids: RaidNews[] | undefined;
  viewerCount: number;
};

/** What the viewers channel of a stream begins with, at least as of that many moves of its feed. */
export type ViewersView = { moves: number; isLive: boolean | undefined; viewerCount: number };

/** The wire Prediction that takes bets or awaits its outcome, null when there is none. */
export type OpenPredictions = { openView(streamId: string): Promise<DataOf<"prediction.opened"> | null> };

/** The wire ChatPoll that takes votes, null when there is none. */
export type OpenPolls = { openView(streamId: string): Promise<DataOf<"chat.poll"> | null> };

/**
 * The initial state of a subscription. Much of it is the same for all of them and is read once for those that join
 * within a moment; only what is a user's own is read for each. The position is taken before the reads, so that what
 * changes during them comes as an event.
 */
export function createInitialStates(deps: {
  presence: Pick<Presence, "count">;
  predictions: OpenPredictions;
  polls: OpenPolls;
  raids: Pick<RaidMembership, "openAround">;
  streams: Pick<Streams, "find">;
  memberStates: MemberStates;
  log: Log;
}) {
  const { memberStates, presence, predictions, polls, raids: openRaids, streams } = deps;
  let skippedUntil = Number.NEGATIVE_INFINITY;
  const shared = new SharedReads<RoomView>({ keptMs: KEPT_MS, most: MAX_ROOMS });
  const sharedByViewers = new SharedReads<ViewersView>({
    keptMs: KEPT_MS,
    most: MAX_ROOMS,
  });

  async function read(feed: RoomFeed): Promise<RoomView> {
    const { position, streamId } = feed;
    const [memberState, prediction, poll, raids, viewerCount] = await Promise.all([
      memberStates.of(streamId, null),
      ifSoon(() => predictions.openView(streamId)),
      ifSoon(() => polls.openView(streamId)),
      ifSoon(() => openRaids.openAround(streamId)),
      orDefault(presence.count(streamId), 0),
    ]);
    return { position, memberState, prediction, poll, raids, viewerCount };
  }

  /** What stands beside the room is left out rather than keep somebody from joining. */
  function orDefault<T>(value: Promise<T>, otherwise: T): Promise<T> {
    return value.catch((err: unknown) => {
      deps.log.warn({ err }, "a part of a subscription's state was not to be had");
      return otherwise;
    });
  }

  /** What MongoDB says, when it says it soon. */
  async function ifSoon<T>(read: () => Promise<T>): Promise<T | undefined> {
    if (performance.now() < skippedUntil) return undefined;
    return orDefault(
      within(read(), performance.now() + PATIENCE_MS, () => new MongoDeadline()).catch((err: unknown) => {
        if (isMongoUnavailable(err)) skippedUntil = performance.now() + PAUSE_MS;
        throw err;
      }),
      undefined,
    );
  }

  return {
    /** Throws unavailable. */
    async of(feed: RoomFeed): Promise<RoomView> {
      for (let tries = 1; ; tries++) {
        const view = await shared.get(feed.streamId, () => read(feed));
        // Of another epoch there would be no way from its position to the head.
        if (view.position.epoch === feed.position.epoch || tries === TRIES) return view;
        shared.drop(feed.streamId);
      }
    },
    /** Throws unavailable. */
    viewersOf: (feed: RoomFeed): Promise<ViewersView> =>
      sharedByViewers.get(feed.streamId, async () => {
        const { moves, streamId } = feed;
        const [stream, viewerCount] = await Promise.all([
          ifSoon(() => streams.find(streamId)),
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

/** `state` of a viewers subscription. That channel has no replay: what happened since the view is in it. */
export function viewersStateOf({ moves, isLive, viewerCount }: ViewersView, { broadcast }: RoomFeed) {
  const isOlder = broadcast !== null && moves < broadcast.moves;
  const live = isOlder ? broadcast.isLive : isLive;
  return { viewer_count: viewerCount, ...(live === undefined ? {} : { is_live: live }) };
}

/** `state` of a chat subscription. */
export function stateOf({ prediction, poll, raids, viewerCount }: RoomView, own: MemberState) {
  return {
    modes: modesView(own.modes),
    ...ownStateOf(own),
    ...(prediction === undefined ? {} : { prediction }),
    ...(raids === undefined ? {} : { raids }),
    ...(poll === undefined ? {} : { poll }),
    viewer_count: viewerCount,
  };
}

/** The part of it that is the user's own. */
export function ownStateOf({ modes, role, chatRole, bannedUntilMs, lastSentMs }: MemberState) {
  const timedOut = bannedUntilMs !== null && bannedUntilMs > 0;
  const slowMs = modes.slow === null || role !== null || lastSentMs === null ? 0 : modes.slow * 1_000;
  // No more than a whole wait, whatever the clocks say.
  const wait = slowMs === 0 || lastSentMs === null ? 0 : Math.min(slowMs, lastSentMs + slowMs - Date.now());
  return {
    role: chatRole,
    waits: {
      banned: bannedUntilMs === 0,
      timed_out_until: timedOut ? new Date(bannedUntilMs).toISOString() : null,
      slow_ms: wait > 0 ? wait : null,
    },
  };
}
