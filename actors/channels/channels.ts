import type { Audit, Origin } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { RoomEvents, StreamIngest } from "../../contract/wire.ts";
import {
  type NewStreamKey,
  type StreamDoc,
  type Streams,
  withoutThumbnail,
} from "../../store/mongo/channels/streams.ts";
import { newKeyOf } from "../accounts/public.ts";
import { type Sealing, streamKeyContext } from "../keys/sealing.ts";
import type { ChannelCategories } from "./categories.ts";
import type { RoomChanges } from "./room-changes.ts";
import { tagsFrom } from "./tags.ts";
import { type OwnerFields, ownStreamView, streamView } from "./view.ts";
import { viewersOf } from "./viewers.ts";

/** What an owner may change; absent fields stay unchanged. */
export type StreamChange = {
  name?: string;
  thumbnailUrl?: string | null;
  categoryId?: string | null;
  language?: string | null;
  isMature?: boolean;
  tags?: string[];
  ingressPullUrl?: string | null;
};

type ChannelDeps = {
  streams: Streams;
  changes: RoomChanges;
  categories: Pick<ChannelCategories, "require">;
  sealing: Sealing;
  presence: { count(streamId: string): Promise<number> };
  /** `rotateKey` sets the key and ends a broadcast that uses the old one, in one commit. */
  broadcasts: {
    rotateKey(key: NewStreamKey & { ownerId: string }): Promise<unknown>;
    ingestOf(stream: StreamDoc): StreamIngest;
  };
  /** Where encoders publish to; shown to owners as `server_url`. */
  ingestUrl: string;
  audit: Audit;
  clock: Clock;
};

/** A channel's single stream: anyone may read it, its owner may also change it. */
export function createChannels(deps: ChannelDeps) {
  const { streams, changes, categories, sealing, presence, broadcasts, ingestUrl, audit, clock } = deps;

  async function require(streamId: string): Promise<StreamDoc> {
    return requireFound(await streams.find(streamId));
  }

  async function requireOf(userId: string): Promise<StreamDoc> {
    return requireFound(await streams.findByUser(userId));
  }

  function ownerFields(stream: StreamDoc): OwnerFields {
    const streamKey = sealing.unseal(stream.streamKeySealed, streamKeyContext(stream._id));
    return { serverUrl: ingestUrl, streamKey, ingest: broadcasts.ingestOf(stream) };
  }

  return {
    /** Throws `not_found`. */
    require,
    /** The stream of a user. Throws `not_found`. */
    requireOf,

    view: async (stream: StreamDoc) => streamView(stream, await viewersOf(presence, stream)),
    ownView: async (stream: StreamDoc) =>
      ownStreamView(stream, await viewersOf(presence, stream), ownerFields(stream)),

    /** Throws `not_found` for an unknown category, `validation_failed` for tags that are too long in lower case. */
    async update(userId: string, change: StreamChange): Promise<StreamDoc> {
      const { _id } = await requireOf(userId);
      if (change.categoryId) await categories.require(change.categoryId);
      const set = {
        ...change,
        ...(change.tags ? { tags: tagsFrom(change.tags) } : {}),
      };
      const { stream } = await changes.commit(_id, async (before) => {
        const after = { ...before, ...set };
        const now = new Date(clock.now());
        return {
          set: { ...set, ...thumbnailChange(before, change, now), updatedAt: now },
          events: [{ type: "stream.updated", data: streamUpdate(after) }],
        };
      });
      return stream;
    },

    /** From now on the old key is refused; a broadcast that uses it ends. */
    async rotateKey(userId: string, origin: Origin): Promise<StreamDoc> {
      const { _id } = await requireOf(userId);
      const { keyHash, keySealed } = newKeyOf(_id, sealing);
      await broadcasts.rotateKey({ streamId: _id, ownerId: userId, keyHash, keySealed });
      audit("stream_key.rotated", { userId, origin }, { streamId: _id });
      return requireOf(userId);
    },
  };
}

export type Channels = ReturnType<typeof createChannels>;

/** A thumbnail chosen by the owner stays. Once it is removed, later ones from the media service are used again. */
function thumbnailChange(
  before: StreamDoc,
  { thumbnailUrl }: StreamChange,
  now: Date,
): StreamChange & { thumbnailAt?: Date | null } {
  if (thumbnailUrl === undefined) return {};
  return thumbnailUrl === null ? withoutThumbnail(before, now) : { thumbnailAt: null };
}

/** The event that shows a change to viewers. */
function streamUpdate(stream: StreamDoc): RoomEvents["stream.updated"] {
  return {
    stream_id: stream._id,
    name: stream.name,
    category_id: stream.categoryId,
    language: stream.language,
    is_mature: stream.isMature,
    tags: stream.tags,
    thumbnail_url: stream.thumbnailUrl,
  };
}

function requireFound(stream: StreamDoc | null): StreamDoc {
  if (!stream) throw new ServiceError("not_found");
  return stream;
}

/** What a path names by {stream_id}. */
export async function streamResource(
  { channels }: { channels: { require(id: string): Promise<StreamDoc> } },
  id: string,
) {
  const stream = await channels.require(id);
  return { thing: stream, channel: stream };
}
