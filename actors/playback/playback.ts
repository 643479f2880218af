import type { EdgeConfig, PlaybackSource } from "../../specs/contract/wire.ts";
import type { Clock } from "../../store/clock.ts";
import type { QualityDoc, StreamDoc } from "../../store/mongo/streams.ts";
import type { VideoDoc } from "../../store/mongo/videos.ts";
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

/** Where players fetch a stream: addresses on the edge, signed and short-lived. The origin is never shown. */
export function createPlayback({ edge, clock }: { edge: Edge; clock: Clock }) {
  const links = createEdgeLinks({ edge, clock });
  return {
    /** What an edge needs to check the addresses, its secrets included. */
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

    /** `ll-hls` is answered when it is wanted and the edge has it. An offline stream has its address too. */
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
     * A recording has a folder of its own on the edge, named by the media service's id of it: what is signed for the
     * stream opens no recording, so that a private one stays so.
     */
    videoSourceOf({ streamId, mediaRecordingId }: VideoDoc): PlaybackSource {
      const link = links.of(mediaRecordingId);
      return {
        ...{ stream_id: streamId, manifest_url: link.urlOf(MANIFEST), protocol: "hls" },
        ...{ expires_at: link.expiresAt.toISOString(), live_since: null, qualities: [] },
      };
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
