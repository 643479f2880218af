import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { type NewStreamKey, type StreamDoc, streamsIn } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { type BroadcastDoc, broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { createActorClient } from "../../host/actor-client.ts";
import type { Host } from "../../host/host.ts";
import { defineLifecycle } from "../../host/lifecycle.ts";
import { type LiveStreamDefinition, liveStreamDefinition } from "./definition.ts";
import { streamIngest } from "./view.ts";

export type Broadcasts = ReturnType<typeof createBroadcasts>;

type Deps = { mongo: Mongo; host: Host; definition: LiveStreamDefinition; waitsForMedia: boolean };

/** Broadcasts: how the ingest server, key rotation and bans affect whether a stream is live. */
function createBroadcasts({ mongo, host, definition, waitsForMedia }: Deps) {
  const broadcasts = broadcastsIn(mongo.db);
  const streams = streamsIn(mongo.db);

  const actors = createActorClient(host, definition);

  return {
    /**
     * A publisher connected with the key of this stream (matched by its hash). Throws `stream_key_refused` when the key
     * was rotated meanwhile or the owner is not in good standing, `publisher_connected` while another publisher is connected and
     * has given a sign in the last 30 s; later this one takes over.
     * Idempotent for the same publisher.
     */
    async publish({ stream, clientId }: { stream: StreamDoc; clientId: string; addr?: string | null }) {
      const { _id, userId, streamKeyHash: keyHash } = stream;
      const command = { type: "published", clientId, sessionId: newId(), keyHash, waitsForMedia } as const;
      return actors.ask(_id, command, null, { input: { ownerId: userId } });
    },

    /** A publisher disconnected. Ignored for one that was never accepted (its id isn't the connected one). */
    publishDone: ({ stream, clientId }: { stream: StreamDoc; clientId: string }) =>
      actors.notify(stream._id, { type: "publishEnded", clientId }),

    /**
     * The server has reported a publisher that `publishers` doesn't have: of an older release, or lost before. False when it isn't
     * the broadcast's publisher.
     */
    publisherSeen: async (streamId: string, clientId: string): Promise<boolean> =>
      (await actors.notify(streamId, { type: "publisherSeen", clientId })) !== null,
    /** The publisher's lease has run out. "connected": not at this actor's time; "unknown": it isn't the broadcast's publisher. */
    async publisherLost(streamId: string, clientId: string): Promise<"lost" | "connected" | "unknown"> {
      try {
        return (await actors.notify(streamId, { type: "publisherLost", clientId })) === null
          ? "unknown"
          : "lost";
      } catch (err) {
        if (err instanceof ServiceError && err.code === "publisher_connected") return "connected";
        throw err;
      }
    },

    /** Ends the broadcast at once and drops its publisher. Without a broadcast nothing happens. */
    end: ({ _id, userId: ownerId }: StreamDoc, by: string) =>
      actors.ask(_id, { type: "end" }, { by }, { input: { ownerId } }),

    /** A report of the media service, timestamped by its own clock; late reports don't override newer ones. */
    mediaLive: (streamId: string, seen: { mediaStreamId: string | null; at: Date }) =>
      actors.notify(streamId, {
        type: "mediaLive",
        mediaStreamId: seen.mediaStreamId,
        seenAt: seen.at.getTime(),
        sessionId: newId(),
      }),
    mediaIdle: (streamId: string, seenAt: Date) =>
      actors.notify(streamId, { type: "mediaIdle", seenAt: seenAt.getTime() }),

    /** Atomically replaces the key and ends the broadcast that runs with the old one, which is refused from now on. */
    rotateKey: ({ streamId, ownerId, ...key }: NewStreamKey & { ownerId: string }) =>
      actors.ask(streamId, { type: "keyRotated", ...key }, null, { input: { ownerId } }),
    /** Ends a broadcast immediately. */
    ownerBanned: (streamId: string) => actors.notify(streamId, { type: "ownerBanned" }),

    /** How far the stream's broadcast has come. */
    ingestOf: streamIngest,

    /** The broadcast that viewers see now, or null. */
    async current(streamId: string): Promise<BroadcastDoc | null> {
      const sessionId = (await streams.find(streamId))?.sessionId;
      return sessionId ? broadcasts.find(sessionId) : null;
    },

    /** The running or latest broadcast; null before the first. */
    lastOf: broadcasts.lastOf,
    /** The last broadcast that ran during some part of that time; null for none. */
    runningIn: broadcasts.runningIn,

    /** Records samples of the viewer count, for peak and average; ignored after the end. */
    sample: broadcasts.sample,

    /** Newest first. */
    page: (streamId: string, range: Range) => broadcasts.pageOf(streamId, range),

    history: actors.history,
  };
}

export const broadcastsLifecycle = defineLifecycle({
  define: ({ db }) => liveStreamDefinition(db),
  open: createBroadcasts,
});
