import { ServiceError } from "../../specs/contract/errors.ts";
import type { IngestConfig } from "../../specs/contract/wire.ts";
import type { StreamDoc, Streams } from "../../store/mongo/streams.ts";
import { streamKeyHash } from "../identity/stream-keys.ts";
import type { PublisherHook } from "./nginx-rtmp.ts";

type IngestDeps = {
  streams: Pick<Streams, "findByKeyHash">;
  broadcasts: {
    /** Throws `publisher_connected`, and `stream_key_refused` for a rotated key and for a banned or deleted owner. */
    publish(publisher: { stream: StreamDoc; clientId: string; addr: string }): Promise<unknown>;
    /** Ends the publisher with that client id; ignored for any other. */
    publishDone(publisher: { stream: StreamDoc; clientId: string }): Promise<unknown>;
  };
  ingestUrl: string;
  publicUrl: string;
};

/** Handles the hooks of an RTMP server after parsing. The stream key is compared by its hash. */
export function createIngest({ streams, broadcasts, ingestUrl, publicUrl }: IngestDeps) {
  const hookUrl = (path: string) => `${publicUrl}/v1/webhooks/${path}`;

  return {
    /** The configuration for an RTMP server and a media service; they have the system key already. */
    config: (): IngestConfig => ({
      server_url: ingestUrl,
      application: applicationOf(ingestUrl),
      publish_url: `${hookUrl("ingest/publish")}?rename=1`,
      publish_done_url: hookUrl("ingest/publish-done"),
      media_url: hookUrl("media"),
    }),

    /** Accepts a publisher and returns the public id of its stream. Throws `stream_key_refused` for an unknown key. */
    async publish({ streamKey, clientId, addr }: PublisherHook): Promise<string> {
      const stream = await streams.findByKeyHash(streamKeyHash(streamKey));
      if (!stream) throw new ServiceError("stream_key_refused");
      await broadcasts.publish({ stream, clientId, addr });
      return stream._id;
    },

    /**
     * A publisher has disconnected. Servers report this for refused publishers, too, and for keys that have been rotated since;
     * then there is nothing to end.
     */
    async publishDone({ streamKey, clientId }: PublisherHook): Promise<void> {
      const stream = await streams.findByKeyHash(streamKeyHash(streamKey));
      if (stream) await broadcasts.publishDone({ stream, clientId });
    },
  };
}

/** The first part of the path: rtmp://host/application. */
export const applicationOf = (url: string): string => new URL(url).pathname.split("/")[1] ?? "";
