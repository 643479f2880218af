import assert from "node:assert/strict";
import type { Document } from "mongodb";
import { processClock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { followerCountsCollection } from "../../../store/mongo/channels/follower-counts.ts";
import { followsCollection, followsIn } from "../../../store/mongo/channels/follows.ts";
import { WHILE_LIVE } from "../../../store/mongo/channels/stream-positions.ts";
import { streamsCollection } from "../../../store/mongo/channels/streams.ts";
import { chatMessagesCollection, chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { clipListsIn } from "../../../store/mongo/live/clip-lists.ts";
import { clipsCollection } from "../../../store/mongo/live/clips.ts";
import { listedStreamsIn } from "../../../store/mongo/live/listed-streams.ts";
import { videosCollection, videosIn } from "../../../store/mongo/live/videos.ts";
import {
  MAX_NOTIFICATIONS,
  notificationsCollection,
  notificationsIn,
} from "../../../store/mongo/notifications/notifications.ts";
import { migrate } from "../../../store/mongo/schema/migrate.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { seededRandom } from "../../stress/seed.ts";
import { clipDoc } from "../../support/clip-doc.ts";
import { quietLog } from "../../support/quiet-log.ts";
import type { Stores } from "../../support/stores.ts";
import { streamDoc } from "../../support/stream-doc.ts";
import { inLargeStore, settled } from "../large-store.ts";

type ListsOptions = {
  seed: number;
  /** Documents in each list, except a user's notifications and the live streams. */
  documents: number;
  streams: number;
  /** Of each list. */
  pages: number;
  /** The offset up to which a page costs as much as the first one. */
  furthest: number;
  p99Ms: number;
};

const BATCH = 5_000;
const PER_PAGE = 24;

/** Reads pages of the largest lists, anywhere up to `furthest`. Throws when the 99th percentile is too slow. */
export async function runLists(options: ListsOptions, print: Print): Promise<Figures> {
  return inLargeStore("lists", (stores) => listsIn(stores, options, print));
}

async function listsIn(stores: Stores, options: ListsOptions, print: Print): Promise<Figures> {
  const { documents, furthest, p99Ms } = options;
  const { db } = stores.mongo;
  const random = seededRandom(options.seed);
  const [star, room] = [newId(), newId()];
  await migrate(stores.mongo, { clock: processClock, log: quietLog() });
  await fill(stores, { ...options, star, room }, print);
  await settled(stores);

  const now = () => new Date();
  const list = { channelUserId: null, period: null, viewerId: null } as const;
  const streams = (filter: object, order: "recent" | "viewers") => (skip: number, limit: number) =>
    listedStreamsIn(db).page({ filter, order, skip, limit }, now());
  const lists: Record<string, (skip: number, limit: number) => Promise<unknown>> = {
    followers: (skip, limit) =>
      Promise.all([followsIn(db).countFollowers(star), followsIn(db).followersOf(star, { skip, limit })]),
    streams: streams({}, "recent"),
    streamsByViewers: streams({}, "viewers"),
    streamsWithTag: streams({ tag: "chess" }, "recent"),
    streamsForAdults: streams({ isMature: true }, "viewers"),
    clips: (skip, limit) => clipListsIn(db).pageOf({ ...list, order: "trending" }, { skip, limit }),
    clipsByViews: (skip, limit) => clipListsIn(db).pageOf({ ...list, order: "views" }, { skip, limit }),
    clipsOfChannel: (skip, limit) =>
      clipListsIn(db).pageOf({ ...list, order: "recent", channelUserId: star }, { skip, limit }),
    ownClips: (skip, limit) =>
      clipListsIn(db).pageOf({ ...list, order: "recent", viewerId: star }, { skip, limit }),
    videos: (skip, limit) => videosIn(db).pageOf(star, false, { skip, limit }),
    notifications: (skip, limit) => notificationsIn(db).page(star, { skip: skip % MAX_NOTIFICATIONS, limit }),
    chat: (skip, limit) => chatMessagesIn(db).pageBefore(room, { epoch: 1, seq: documents - skip }, limit),
  };
  const taken: Figures = { documents };
  for (const [name, page] of Object.entries(lists)) {
    // Warms up counts that are cached for a minute.
    await page(0, PER_PAGE);
    const times: number[] = [];
    for (let n = 0; n < options.pages; n++) {
      const startedAt = performance.now();
      await page(Math.floor((random() * furthest) / PER_PAGE) * PER_PAGE, PER_PAGE);
      times.push(performance.now() - startedAt);
    }
    taken[`${name}P50Ms`] = percentile(times, 0.5);
    taken[`${name}P99Ms`] = percentile(times, 0.99);
    print(`${name}: p50 ${taken[`${name}P50Ms`]} ms, p99 ${taken[`${name}P99Ms`]} ms`);
  }
  for (const name of Object.keys(lists)) {
    const p99 = taken[`${name}P99Ms`] ?? Number.POSITIVE_INFINITY;
    assert(p99 <= p99Ms, `${name}: 99 of 100 pages take ${p99} ms, and may take ${p99Ms}`);
  }
  return taken;
}

type Filling = Pick<ListsOptions, "documents" | "streams"> & { star: string; room: string };

async function fill(
  { mongo: { db } }: Stores,
  { documents, streams, star, room }: Filling,
  print: Print,
): Promise<void> {
  const begun = Date.now();
  const ago = (n: number) => new Date(begun - n * 1_000);
  const some: [string, number, (n: number) => Document][] = [
    [
      followsCollection.name,
      documents,
      (n) => {
        const followerId = newId();
        const _id = `${followerId}:${star}`;
        return { _id, id: newId(), followerId, followingId: star, createdAt: ago(n) };
      },
    ],
    [followerCountsCollection.name, 1, () => ({ _id: `${star}:1`, followingId: star, count: documents })],
    [
      clipsCollection.name,
      documents,
      (n) => {
        const channelUserId = n % 2 === 0 ? star : newId();
        return clipDoc({ channelUserId, viewsCount: n, score: n, createdAt: ago(n) });
      },
    ],
    [
      videosCollection.name,
      documents,
      (n) => ({
        _id: newId(),
        userId: star,
        streamId: room,
        mediaRecordingId: newId(),
        title: "A video",
        thumbnailUrl: null,
        durationSeconds: 60,
        viewCount: n,
        visibility: "public",
        isMature: false,
        publishedAt: ago(n),
        createdAt: ago(n),
      }),
    ],
    [
      notificationsCollection.name,
      MAX_NOTIFICATIONS,
      (n) => ({
        _id: n + 1,
        userId: star,
        type: "follower",
        isRead: false,
        createdAt: ago(n),
        told: { kind: "follower", data: { followerId: newId() } },
      }),
    ],
    [
      chatMessagesCollection.name,
      documents,
      (n) => ({
        _id: newId(),
        streamId: room,
        epoch: 1,
        seq: n + 1,
        userId: newId(),
        username: "somebody",
        roomId: 1,
        content: "A line that somebody said",
        replyToId: null,
        replyToUser: null,
        sentAt: ago(documents - n),
        deletedAt: null,
      }),
    ],
    [
      streamsCollection.name,
      streams,
      (n) => {
        const place = { since: ago(n), until: WHILE_LIVE, ranks: { even: n, odd: n } };
        const tags = n % 2 === 0 ? ["chess"] : [];
        return streamDoc({ isLive: true, liveSince: ago(n), tags, isMature: n % 3 === 0, roomId: n, place });
      },
    ],
  ];
  for (const [name, count, doc] of some) {
    for (let first = 0; first < count; first += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - first) }, (_, n) => doc(first + n));
      await db.collection(name).insertMany(batch, { ordered: false, writeConcern: { w: 1, j: false } });
    }
    print(`${count} ${name}`);
  }
}
