import type { LivecoreClient } from "../../../clients/typescript/src/index.ts";
import { nginxRtmpFields } from "../evening/nginx-rtmp-fields.ts";
import { type Publisher, publishTestPicture } from "../media/test-picture.ts";
import type { Creator } from "./cast.ts";

/** How a channel starts and ends publishing. */
export type Publishing = {
  begin(creator: Creator): Promise<void>;
  end(creator: Creator): Promise<void>;
  /** Ends whatever still publishes. */
  stop(): Promise<void>;
};

/** Without a picture: sends only the webhooks that an RTMP server would send. */
export function publishingByHooks({
  visitor,
  ingestKey,
}: {
  visitor: LivecoreClient;
  ingestKey: string;
}): Publishing {
  const headers = { "x-system-key": ingestKey };
  return {
    async begin(creator) {
      await visitor.call("ingestPublish", {
        headers,
        body: { ...nginxRtmpFields(creator), call: "publish" },
      });
    },
    async end(creator) {
      await visitor.call("ingestPublishDone", {
        headers,
        body: { ...nginxRtmpFields(creator), call: "publish_done" },
      });
    },
    stop: () => Promise.resolve(),
  };
}

/** Publishes a real picture with ffmpeg to the RTMP server of `npm run media`. */
export function publishingByFfmpeg(ffmpeg: string, complain: (line: string) => void): Publishing {
  const publishers = new Map<string, Publisher>();
  return {
    async begin({ client, streamId }) {
      const { server_url: rtmpUrl, stream_key: streamKey } = await client.call("getMyStream");
      if (streamKey === undefined) throw new Error("A session got no stream key.");
      publishers.set(streamId, publishTestPicture(ffmpeg, { rtmpUrl, streamKey }, complain));
    },
    async end({ streamId }) {
      await publishers.get(streamId)?.stop();
      publishers.delete(streamId);
    },
    async stop() {
      await Promise.all([...publishers.values()].map((publisher) => publisher.stop()));
    },
  };
}
