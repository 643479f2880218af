import type { Db } from "mongodb";
import { type BroadcastDoc, broadcastsIn } from "../../store/mongo/broadcasts.ts";
import { streamsIn } from "../../store/mongo/streams.ts";
import type { EffectHandlers } from "../host/effect.ts";
import type { LiveStreamTypes } from "./types.ts";
import { streamLive, streamOffline } from "./view.ts";

/** What each effect means, written into the same transaction as the snapshot. */
export function liveStreamEffects(db: Db): EffectHandlers<LiveStreamTypes> {
  const streams = streamsIn(db);
  const broadcasts = broadcastsIn(db);
  return {
    goLive: {
      fold({ params, after }, work) {
        work.broadcast = newBroadcast(after.id, after.context.ownerId, params);
      },
      async write(all, { session, outbox, id, now }) {
        for (const { params, after } of all) {
          const { sessionId } = params;
          const liveSince = new Date(params.liveSince);
          await broadcasts.begin(newBroadcast(id, after.context.ownerId, params), session);
          const change = { isLive: true, liveSince, sessionId, viewerCount: 0, updatedAt: now };
          await streams.update(id, { $set: change }, session);
          outbox.room(id, "stream.live", streamLive(id, liveSince));
        }
      },
    },

    goOffline: {
      async write(all, { session, outbox, work, id, now }) {
        for (const { params } of all) {
          const { sessionId, reason } = params;
          await broadcasts.end(sessionId, { endedAt: new Date(params.endedAt), endReason: reason }, session);
          const change = { isLive: false, liveSince: null, sessionId: null, viewerCount: 0, updatedAt: now };
          await streams.update(id, { $set: change }, session);
          outbox.room(id, "stream.offline", streamOffline(id, work.broadcast));
        }
      },
    },
  };
}

const newBroadcast = (
  streamId: string,
  ownerId: string,
  { sessionId, liveSince }: { sessionId: string; liveSince: number },
): BroadcastDoc => ({
  _id: sessionId,
  streamId,
  ownerId,
  startedAt: new Date(liveSince),
  endedAt: null,
  endReason: null,
  peakViewers: 0,
  viewerSum: 0,
  samples: 0,
});
