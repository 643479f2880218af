import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import { isUnavailable } from "../../../base/failures/unavailable.ts";
import type { Log } from "../../../base/log.ts";
import { POINTS_WINDOW_MS } from "../../../realtime/rooms/presence.ts";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import type { StreamDoc, Streams } from "../../../store/mongo/channels/streams.ts";
import { type Topic, watchedTopicsIn } from "../../../store/mongo/chat/watched-topics.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { viewerBarsIn } from "../../channels/public.ts";
import type { Watched as PaidPresence, TierOf } from "../../points/public.ts";

export type Viewer = { userId: string } | { deviceId: string; ip: string };

type Deps = {
  rooms: Pick<Rooms, "identityOf">;
  streams: Pick<Streams, "find">;
  presence: {
    heartbeat(beat: {
      streamId: string;
      viewer: Viewer;
    }): Promise<{ viewerCount: number; presenceWindow: number | null }>;
    settle(watched: Watched): Promise<void>;
  };
  /** Pays for one window of presence; the same window is paid once. */
  points: { earnPresence(watched: PaidPresence): Promise<{ applied: boolean }> };
  broadcasts: Pick<ReturnType<typeof broadcastsIn>, "runningIn">;
  mongo: Mongo;
  tierOf: TierOf;
  clock: Clock;
  log: Log;
};

type Watched = { streamId: string; userId: string; window: number };

/** Concurrent settlements of windows; others are reported again by the next heartbeat. */
const MAX_SETTLING = 128;
/** How long a heartbeat waits for its window to be paid, in ms. */
const MAX_WAIT_MS = 500;

/** Presence of viewers, for REST and sockets alike. */
export function createWatching(deps: Deps) {
  const { rooms, streams, presence, points, broadcasts, mongo, tierOf, clock, log } = deps;
  const topics = watchedTopicsIn(mongo.db);
  const barsOf = viewerBarsIn(mongo.db);
  const settling = new Set<string>();

  /** The current window belongs to the running broadcast; one that is paid late, to the broadcast that ran in that window. */
  async function watchedIn(
    { _id: streamId, isLive, sessionId, liveSince }: StreamDoc,
    window: number,
  ): Promise<PaidPresence["broadcast"]> {
    const from = window * POINTS_WINDOW_MS;
    const to = from + POINTS_WINDOW_MS;
    if (clock.now() < to)
      return isLive && sessionId !== null && liveSince ? { id: sessionId, liveSince } : null;
    const then = await broadcasts.runningIn(streamId, new Date(from), new Date(to));
    return then && { id: then._id, liveSince: then.startedAt, endedAt: then.endedAt };
  }

  /** Removes the window last: if anything fails before, the next heartbeat reports it again. It is still paid only once. */
  async function settle({ streamId, userId, window }: Watched): Promise<void> {
    const stream = await streams.find(streamId);
    const broadcast = stream && userId !== stream.userId ? await watchedIn(stream, window) : null;
    // A ban or deletion ends the broadcast, but not in the same moment.
    if (stream && broadcast && !(await barsOf(stream.userId, [userId])).isInactive) {
      const { userId: channelUserId } = stream;
      const tier = await tierOf(userId, channelUserId);
      const { applied } = await points.earnPresence({
        userId,
        channelUserId,
        streamId,
        window,
        tier,
        broadcast,
      });
      if (applied) await topics.add(userId, topicsOf(stream), new Date(clock.now()));
    }
    await presence.settle({ streamId, userId, window });
  }

  /** Resolves when the window is settled, or after MAX_WAIT_MS; never rejects. */
  async function settleSoon(watched: Watched): Promise<void> {
    const key = `${watched.streamId}:${watched.userId}`;
    if (settling.has(key) || settling.size >= MAX_SETTLING) return;
    settling.add(key);
    const settled = settle(watched)
      .catch((err: unknown) => {
        const level = isUnavailable(err) ? "debug" : "error";
        log[level]({ err, ...watched }, "a window of presence could not be paid yet");
      })
      .finally(() => settling.delete(key));
    await Promise.race([settled, pause(MAX_WAIT_MS, undefined, { ref: false })]);
  }

  return {
    /**
     * Keeps a viewer present and pays the five-minute window that this heartbeat completes, if the stream is live and isn't the
     * viewer's own. While MongoDB is unavailable, a later heartbeat pays it. Returns the number of present viewers, this one
     * included. Throws `not_found`.
     */
    async heartbeat(streamId: string, viewer: Viewer): Promise<number> {
      await rooms.identityOf(streamId);
      const { viewerCount, presenceWindow: window } = await presence.heartbeat({ streamId, viewer });
      if (window !== null && "userId" in viewer) {
        await settleSoon({ streamId, userId: viewer.userId, window });
      }
      return viewerCount;
    },
  };
}

/** The topics that watching this stream counts for; recommendations use them. */
function topicsOf({ categoryId, language }: StreamDoc): Topic[] {
  return [
    ...(categoryId === null ? [] : [{ kind: "category" as const, value: categoryId }]),
    ...(language === null ? [] : [{ kind: "language" as const, value: language }]),
  ];
}
