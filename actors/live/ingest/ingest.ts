import { withDeadline } from "../../../base/deadline.ts";
import { isUnavailable } from "../../../base/failures/unavailable.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import type { IngestConfig } from "../../../contract/wire.ts";
import type { StreamDoc, Streams } from "../../../store/mongo/channels/streams.ts";
import { streamKeyHash } from "../../accounts/public.ts";
import type { PublisherHook } from "./nginx-rtmp.ts";
import type { PublisherLeases } from "./publisher-leases.ts";

/** nginx-rtmp waits ten seconds for an answer, and drops the publisher then. */
const UPDATED_WITHIN_MS = 5_000;

type IngestDeps = {
  streams: Pick<Streams, "findByKeyHash">;
  broadcasts: {
    /** Throws `publisher_connected` unless it takes over, and `stream_key_refused` for a rotated key and for a banned or deleted owner. */
    publish(publisher: { stream: StreamDoc; clientId: string; addr: string }): Promise<unknown>;
    /** Ends the publisher with that client id; ignored for any other. */
    publishDone(publisher: { stream: StreamDoc; clientId: string }): Promise<unknown>;
  };
  publisherLeases: Pick<PublisherLeases, "renew">;
  ingestUrl: string;
  publicUrl: string;
  log: Log;
};

/** Handles the hooks of an RTMP server after parsing. The stream key is compared by its hash. */
export function createIngest(deps: IngestDeps) {
  const { streams, broadcasts, publisherLeases, ingestUrl, publicUrl, log } = deps;
  const hookUrl = (path: string) => `${publicUrl}/v1/webhooks/${path}`;

  async function renew({ streamKey, clientId }: PublisherHook): Promise<boolean> {
    const stream = await streams.findByKeyHash(streamKeyHash(streamKey));
    return stream !== null && publisherLeases.renew(stream._id, clientId);
  }

  return {
    /** The configuration for an RTMP server and a media service; they have the system key already. */
    config: (): IngestConfig => ({
      server_url: ingestUrl,
      application: applicationOf(ingestUrl),
      publish_url: `${hookUrl("ingest/publish")}?rename=1`,
      publish_done_url: hookUrl("ingest/publish-done"),
      update_url: hookUrl("ingest/update"),
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

    /**
     * A publisher is still connected. Throws `not_found` when it is no broadcast's publisher (its key was rotated, its broadcast
     * has ended, or another one took over): the server then drops it. While the store can't say, it stays.
     */
    async publisherUpdate(hook: PublisherHook): Promise<void> {
      try {
        const deadline = performance.now() + UPDATED_WITHIN_MS;
        if (await withDeadline(renew(hook), deadline, unavailable)) return;
      } catch (err) {
        if (!isUnavailable(err)) throw err;
        return log.warn({ err, clientId: hook.clientId }, "publisher update not recorded: store unavailable");
      }
      throw new ServiceError("not_found");
    },
  };
}

/** The first part of the path: rtmp://host/application. */
export const applicationOf = (url: string): string => new URL(url).pathname.split("/")[1] ?? "";
