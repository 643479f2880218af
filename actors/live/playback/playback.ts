import type { Clock } from "../../../base/clock.ts";
import type { Clip, EdgeConfig, PlaybackSource } from "../../../contract/wire.ts";
import type { QualityDoc, StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { ClipDoc } from "../../../store/mongo/live/clips.ts";
import type { VideoDoc } from "../../../store/mongo/live/videos.ts";
import {
  createEdgeLinks,
  type Edge,
  type EdgeLinks,
  keyIdOf,
  LINK_LIFE_S,
  LINK_SCHEME,
} from "./edge-links.ts";

const MANIFEST = "index.m3u8";

type Protocol = PlaybackSource["protocol"];
type ClipAddresses = Pick<Clip, "video_url" | "thumbnail_url">;

export type Playback = ReturnType<typeof createPlayback>;

/** Where players fetch a stream: signed, short-lived URLs on the edge. The origin is never exposed. */
export function createPlayback({ edge, clock }: { edge: Edge; clock: Clock }) {
  const links = createEdgeLinks({ edge, clock });
  return {
    /** The configuration with which an edge verifies URLs, including secrets. */
    edgeConfig(): EdgeConfig {
      const [signing] = edge.signingKeys;
      return {
        ...LINK_SCHEME,
        base_url: edge.url,
        lifetime_seconds: LINK_LIFE_S,
        low_latency: edge.hasLowLatency,
        keys: edge.signingKeys.map((secret) => ({ id: keyIdOf(secret), secret, signs: secret === signing })),
      };
    },

    /** Returns `ll-hls` if it is wanted and the edge supports it. Offline streams have a URL, too. */
    sourceOf(stream: StreamDoc, wanted: Protocol): PlaybackSource {
      const link = links.of(stream._id);
      return {
        stream_id: stream._id,
        manifest_url: link.urlOf(MANIFEST),
        protocol: wanted === "ll-hls" && edge.hasLowLatency ? "ll-hls" : "hls",
        expires_at: link.expiresAt.toISOString(),
        live_since: stream.liveSince?.toISOString() ?? null,
        qualities: (stream.qualities ?? []).map((quality) => qualityView(stream._id, quality, link)),
      };
    },

    /**
     * Each recording has its own folder on the edge, named by the media service's id. Signatures for the stream aren't valid for
     * recordings, so that private ones stay private.
     */
    videoSourceOf({ streamId, mediaRecordingId }: VideoDoc): PlaybackSource {
      const link = links.of(mediaRecordingId);
      return {
        stream_id: streamId,
        manifest_url: link.urlOf(MANIFEST),
        protocol: "hls",
        expires_at: link.expiresAt.toISOString(),
        live_since: null,
        qualities: [],
      };
    },

    /**
     * Addresses of a clip's files for an answer, absent where there are none; `isShown`: the accounts of its creator and channel are
     * active. Those that were reported are given unchanged.
     */
    clipAddresses({ _id: id, visibility, files, ...reported }: ClipDoc, isShown: boolean): ClipAddresses {
      const link = links.ofFiles({ id, isPublic: isShown && visibility === "public" });
      const video = files ? link.urlOf(files.video) : reported.videoUrl;
      const thumbnail = files?.thumbnail ? link.urlOf(files.thumbnail) : reported.thumbnailUrl;
      return {
        ...(video === null ? {} : { video_url: video }),
        ...(thumbnail === null ? {} : { thumbnail_url: thumbnail }),
      };
    },

    /** The address of a video's picture for an answer; `isShown`: its owner's account is active. */
    videoThumbnail(video: VideoDoc, isShown: boolean): string | null {
      const { mediaRecordingId: id, visibility, thumbnailPath, thumbnailUrl } = video;
      if (thumbnailPath === undefined) return thumbnailUrl;
      return links.ofFiles({ id, isPublic: isShown && visibility === "public" }).urlOf(thumbnailPath);
    },
  };
}

function qualityView(
  streamId: string,
  { path, isDefault, ...quality }: QualityDoc,
  link: ReturnType<EdgeLinks["of"]>,
): PlaybackSource["qualities"][number] {
  return { ...quality, stream_id: streamId, url: link.urlOf(path), is_default: isDefault };
}
