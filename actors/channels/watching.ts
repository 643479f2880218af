import { ServiceError } from "../../specs/contract/errors.ts";
import type { StreamDoc, Streams } from "../../store/mongo/streams.ts";

export type Viewer = { userId: string } | { deviceId: string; ip: string };

export type WatchingDeps = {
  streams: Pick<Streams, "find">;
  presence: {
    heartbeat(beat: {
      streamId: string;
      viewer: Viewer;
    }): Promise<{ viewerCount: number; presenceWindow: number | null }>;
  };
  points: {
    /** Pays for one window of presence; the same window is paid once. */
    earnPresence(userId: string, channelUserId: string, streamId: string, window: number): Promise<unknown>;
  };
};

/** Being there, for REST and the sockets alike. */
export function createWatching({ streams, presence, points }: WatchingDeps) {
  return {
    /**
     * Keeps a viewer present and pays the five minutes that this heartbeat completes, when the stream is live
     * and isn't the viewer's own. Returns the viewers present, this one included. Throws `not_found`.
     */
    async heartbeat(streamId: string, viewer: Viewer): Promise<number> {
      const stream = await streams.find(streamId);
      if (!stream) throw new ServiceError("not_found");
      const { viewerCount, presenceWindow } = await presence.heartbeat({ streamId, viewer });
      if (presenceWindow !== null && earns(stream, viewer)) {
        await points.earnPresence(viewer.userId, stream.userId, streamId, presenceWindow);
      }
      return viewerCount;
    },
  };
}

export type Watching = ReturnType<typeof createWatching>;

function earns(stream: StreamDoc, viewer: Viewer): viewer is { userId: string } {
  return stream.isLive && "userId" in viewer && viewer.userId !== stream.userId;
}
