import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { invalid, ServiceError, unavailable } from "../../../contract/errors.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import type { StreamDoc, Streams } from "../../../store/mongo/channels/streams.ts";
import type { ChatBans } from "../../../store/mongo/chat/chat-bans.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inRetriedTransaction } from "../../../store/mongo/driver/retried-transaction.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { LAST_TURN } from "../../../store/mongo/host/media-changes.ts";
import { type BroadcastDoc, broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { clipLikesIn } from "../../../store/mongo/live/clip-likes.ts";
import { clipListsIn } from "../../../store/mongo/live/clip-lists.ts";
import { clipRemovalsIn } from "../../../store/mongo/live/clip-removals.ts";
import { type ClipChange, type ClipDoc, clipsIn } from "../../../store/mongo/live/clips.ts";
import { scoreOfNew } from "../../../store/mongo/live/trending-score.ts";
import type { Directory, Staff, Viewer } from "../../accounts/public.ts";
import type { ViewerTexts } from "../../channels/public.ts";
import { refusalByBan } from "../../channels/public.ts";
import { keyedRequestsIn } from "../../host/keyed-requests.ts";
import type { MediaService } from "../playback/media-service.ts";

const SHORTEST_MS = 5_000;
const LONGEST_MS = MINUTE_MS;
/** Clips per batch of an erasure. */
const BATCH = 100;
/** Removed clips per sweep, and likes per delete. */
const REMOVALS_AT_ONCE = 20;
const LIKES_AT_ONCE = 1_000;

type NewClip = Pick<ClipDoc, "streamId" | "title" | "description" | "visibility" | "startTime" | "endTime">;

type Deps = {
  mongo: Mongo;
  streams: Pick<Streams, "find">;
  chatBans: Pick<ChatBans, "banOf">;
  directory: Pick<Directory, "requireUser">;
  staff: Pick<Staff, "seesAsStaff">;
  viewerTexts: Pick<ViewerTexts, "requireTitles">;
  clock: Clock;
  /** Null: clips can't be created. */
  mediaService: MediaService | null;
};

export type ClipFeature = ReturnType<typeof createClips>;

/**
 * Clips that viewers cut from broadcasts. The media service produces them: requests.ts requests them, and
 * actors/live/playback/clip-hooks.ts handles its reports.
 */
export function createClips({
  mongo,
  streams,
  chatBans,
  directory,
  staff,
  viewerTexts,
  clock,
  mediaService,
}: Deps) {
  const clips = clipsIn(mongo.db);
  const lists = clipListsIn(mongo.db);
  const likes = clipLikesIn(mongo.db);
  const removals = clipRemovalsIn(mongo.db);
  const blocks = blocksIn(mongo.db);
  const broadcasts = broadcastsIn(mongo.db);
  const keyed = keyedRequestsIn(mongo.db, clock);
  const now = () => new Date(clock.now());

  /** Throws `banned`, `timed_out`, `blocked`. */
  async function requireMayClip(userId: string, streamId: string, channelUserId: string): Promise<void> {
    if (userId === channelUserId) return;
    const [ban, blocked] = await Promise.all([
      chatBans.banOf(streamId, userId),
      blocks.eitherWay(userId, [channelUserId]),
    ]);
    const refusal = refusalByBan(ban, now());
    if (refusal) throw ServiceError.of(refusal);
    if (blocked.size > 0) throw new ServiceError("blocked");
  }

  /** Throws what `requireTitles` throws. */
  async function requireTitles(
    channel: Pick<StreamDoc, "_id" | "userId">,
    userId: string,
    { title = "", description = "" }: ClipChange,
  ): Promise<void> {
    await viewerTexts.requireTitles(channel, await directory.requireUser(userId), [title, description]);
  }

  /** The document that `create` inserts. Throws what `create` throws. */
  async function begin(userId: string, input: NewClip, createdAt: Date): Promise<ClipDoc> {
    const stream = await streams.find(input.streamId);
    if (!stream) throw new ServiceError("not_found");
    const owner = await directory.requireUser(stream.userId);
    if (owner.status !== "active") throw new ServiceError("not_found");
    await requireMayClip(userId, stream._id, stream.userId);
    await requireTitles(stream, userId, input);
    const broadcast = await broadcasts.lastOf(stream._id);
    if (!broadcast) throw new ServiceError("no_broadcast");
    requireRange(input, broadcast, createdAt);
    return {
      _id: newId(),
      ...input,
      broadcastId: broadcast._id,
      channelUserId: stream.userId,
      userId,
      isMature: stream.isMature,
      status: "processing",
      isListed: false,
      videoUrl: null,
      thumbnailUrl: null,
      durationSeconds: msOf(input) / 1_000,
      viewsCount: 0,
      likesCount: 0,
      score: scoreOfNew(createdAt),
      createdAt,
      updatedAt: createdAt,
      request: { isTaken: false, failures: 0, dueAt: createdAt },
    };
  }

  const remove = (id: string, turn?: number): Promise<boolean> =>
    inTransaction(mongo.client, (session) => clips.remove(id, { at: now(), turn }, session));

  return {
    /** False without a media service: `create` throws `unavailable`. */
    areMade: mediaService !== null,

    /**
     * Begins a clip of the channel's running or last broadcast. Throws `not_found`, `banned`, `timed_out`, `blocked`,
     * `no_broadcast`, `validation_failed`, `idempotency_conflict`, and `unavailable` without a media service.
     */
    async create(userId: string, input: NewClip, key: string | null = null): Promise<ClipDoc> {
      if (!mediaService) throw unavailable({ message: "No media service is configured." });
      const request = { by: userId, operation: "clip.create", key, request: input };
      return inRetriedTransaction(mongo.client, (session) =>
        keyed.once(request, session, {
          async act(createdAt) {
            const doc = await begin(userId, input, createdAt);
            await clips.insert(doc, session);
            return doc;
          },
          answerOf: ({ _id }) => _id,
          again: (id) => clips.find(id, session),
        }),
      );
    },

    /** Throws `not_found`. */
    async require(id: string): Promise<ClipDoc> {
      const found = await clips.find(id);
      if (!found) throw new ServiceError("not_found");
      return found;
    },

    /**
     * Whether a viewer may see the clip. Clips that are private or not ready are
     * visible to their creator, the channel's owner and staff.
     */
    async maySee(clip: ClipDoc, viewer: Viewer): Promise<boolean> {
      if (clip.status === "ready" && clip.visibility !== "private") return true;
      if (viewer === null) return false;
      return [clip.userId, clip.channelUserId].includes(viewer.userId) || staff.seesAsStaff(viewer);
    },

    pageOf: lists.pageOf,

    /** Which of these the user likes. */
    likedAmong: likes.among,

    /** Throws what `requireTitles` throws, `not_found`, and `forbidden` when another than the channel's owner would make it more visible than the owner did. */
    async change(
      { _id, streamId, channelUserId }: ClipDoc,
      change: ClipChange,
      userId: string,
    ): Promise<ClipDoc> {
      await requireTitles({ _id: streamId, userId: channelUserId }, userId, change);
      const who = { byOwner: userId === channelUserId, at: now() };
      const changed = await inTransaction(mongo.client, (session) => clips.change(_id, change, who, session));
      if (changed) return changed;
      throw new ServiceError((await clips.find(_id)) ? "forbidden" : "not_found");
    },

    /** Throws `not_found`. */
    async remove(id: string): Promise<void> {
      if (!(await remove(id))) throw new ServiceError("not_found");
    },

    /** Removes the clips of an account that is being erased, and of its channel. Idempotent. */
    async forgetAll(userId: string): Promise<void> {
      for (;;) {
        const some = await clips.someOf(userId, BATCH);
        for (const id of some) await remove(id, LAST_TURN);
        if (some.length < BATCH) return;
      }
    },

    /** Removes likes of removed clips, until `isSure` returns false (another worker may be sweeping). */
    async sweep(isSure: () => boolean = () => true): Promise<void> {
      for (const id of await removals.some(REMOVALS_AT_ONCE)) {
        while (await likes.removeSome(id, LIKES_AT_ONCE)) if (!isSure()) return;
        await removals.finish(id);
      }
    },
  };
}

/** Rounded to milliseconds, because fractions of seconds aren't exact. */
const msOf = ({ startTime, endTime }: Pick<NewClip, "startTime" | "endTime">): number =>
  Math.round((endTime - startTime) * 1_000);

/** Throws `validation_failed`. */
function requireRange(clip: NewClip, { startedAt, endedAt }: BroadcastDoc, at: Date): void {
  const length = msOf(clip);
  if (length < SHORTEST_MS || length > LONGEST_MS)
    throw refused("length", "must be 5 to 60 seconds after start_time");
  const lasted = (endedAt ?? at).getTime() - startedAt.getTime();
  if (Math.round(clip.endTime * 1_000) > lasted)
    throw refused("range", "must be within the running or last broadcast");
}

const refused = (rule: string, message: string) => invalid({ path: "/body/end_time", rule, message });

/** What a path names by {clip_id}. What is private isn't there for others. */
export async function clipResource(
  {
    clips,
  }: {
    clips: {
      require(id: string): Promise<ClipDoc>;
      maySee(clip: ClipDoc, viewer: Viewer): Promise<boolean>;
    };
  },
  id: string,
  viewer: Viewer,
) {
  const clip = await clips.require(id);
  if (!(await clips.maySee(clip, viewer))) throw new ServiceError("not_found");
  const { streamId, channelUserId, userId: authorId } = clip;
  return { thing: clip, channel: { _id: streamId, userId: channelUserId }, authorId };
}
