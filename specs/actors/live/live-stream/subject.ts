import { expect } from "chai";
import type { Db } from "mongodb";
import { liveStreamDefinition } from "../../../../actors/live/live-stream/definition.ts";
import { BROADCAST_GRACE_MS, FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import type { LiveStreamContext } from "../../../../actors/live/live-stream/schemas.ts";
import { newId } from "../../../../base/ids.ts";
import type { UserDoc } from "../../../../store/mongo/accounts/users.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import type { BroadcastDoc } from "../../../../store/mongo/live/broadcasts.ts";
import type { PublisherDoc } from "../../../../store/mongo/live/publishers.ts";
import type { StoredActor, Subject } from "../../host/subject.ts";
import { eachOf, setClock } from "../../host/timers-after-downtime/waiting.ts";
import type { KeptSnapshot } from "../../host/versions/kept.ts";
import type { Driver } from "../../host/versions/stage.ts";
import type { World } from "../../host/world.ts";

const CONNECTED = "17";
/** Later than all events of kept actors. */
const AFTER_ALL = Date.UTC(2200, 0);
const KEY_HASH = "the key of now";

function driver(world: World): Driver {
  const published = (clientId: string, keyHash: string) =>
    ({ type: "published", clientId, sessionId: newId(), keyHash, waitsForMedia: false }) as const;

  return {
    definition: liveStreamDefinition(world.mongo.db),
    beside: ["streams", "stream_titles", "users", "broadcasts", "publishers"],

    async drive(stage) {
      const { _id: id, userId: ownerId, streamKeyHash } = await world.stream();
      await stage.create(id, { ownerId });
      await stage.keep(id);
      await stage.send(id, published(CONNECTED, streamKeyHash));
      await stage.keep(id);
      await stage.fireNext(id);
      await stage.keep(id);
      world.move(1_800_000);
      await stage.send(id, { type: "publishEnded", clientId: CONNECTED });
      await stage.keep(id);
    },

    async plant(kept) {
      const { db } = world.mongo;
      const { streamId, ownerId, sessionId, clientId } = partsOf(kept);
      await world.stream({ _id: streamId, streamKeyHash: KEY_HASH, userId: ownerId });
      // Only the account's status is read.
      const users = db.collection<Pick<UserDoc, "_id" | "status">>("users");
      await users.insertOne({ _id: ownerId, status: "active" });
      if (clientId !== null) {
        const seenAt = kept.doc.createdAt;
        const lease = { clientId, seenAt, leaseEndsAt: seenAt };
        await db.collection<PublisherDoc>("publishers").insertOne({ _id: streamId, ...lease });
      }
      if (sessionId === null) return;
      await db.collection<BroadcastDoc>("broadcasts").insertOne({
        _id: sessionId,
        streamId,
        ownerId,
        startedAt: kept.doc.createdAt,
        endedAt: null,
        endReason: null,
        peakViewers: 12,
        viewerSum: 30,
        samples: 3,
      });
    },

    commands: () => ({
      "published, the one that is connected": published(CONNECTED, KEY_HASH),
      "published, another": published("18", KEY_HASH),
      "publishEnded, the one that is connected": { type: "publishEnded", clientId: CONNECTED },
      "publishEnded, another": { type: "publishEnded", clientId: "18" },
      mediaLive: { type: "mediaLive", mediaStreamId: newId(), sessionId: newId(), seenAt: AFTER_ALL },
      mediaIdle: { type: "mediaIdle", seenAt: AFTER_ALL },
      keyRotated: { type: "keyRotated", keyHash: "another", keySealed: "sealed" },
      ownerBanned: { type: "ownerBanned" },
      "publisherSeen, the one that is connected": { type: "publisherSeen", clientId: CONNECTED },
      "publisherSeen, another": { type: "publisherSeen", clientId: "18" },
      "publisherLost, the one that is connected": { type: "publisherLost", clientId: CONNECTED },
      "publisherLost, another": { type: "publisherLost", clientId: "18" },
      end: { type: "end" },
    }),
  };
}

/** The fields that other documents depend on, in any version. */
function partsOf({ doc, context }: KeptSnapshot) {
  const { ownerId, sessionId, clientId } = context as Pick<
    LiveStreamContext,
    "ownerId" | "sessionId" | "clientId"
  >;
  return { streamId: doc._id.slice("live-stream:".length), ownerId, sessionId, clientId };
}

async function expectChannel(db: Db, { id, status, context }: StoredActor): Promise<void> {
  const isLive = status === "live" || status === "interrupted";
  const stream = await db.collection<StreamDoc>("streams").findOne({ _id: id });
  expect(stream, `the stream of live-stream ${id}`).deep.include({
    isLive,
    sessionId: isLive ? context.sessionId : null,
    liveSince: isLive ? new Date(Number(context.liveSince)) : null,
  });
  const publisher = await db.collection<PublisherDoc>("publishers").findOne({ _id: id });
  expect(publisher?.clientId ?? null, `the publisher of ${id}`).equal(context.clientId);
  const running = await db
    .collection<BroadcastDoc>("broadcasts")
    .find({ streamId: id, endedAt: null })
    .toArray();
  expect(
    running.map((broadcast) => broadcast._id),
    `running broadcasts of ${id}`,
  ).deep.equal(isLive ? [context.sessionId] : []);
}

const waiting: Subject["waiting"] = {
  firstPicture: {
    event: "xstate.after.firstPicture.live-stream.starting",
    make: (world, dues) =>
      eachOf(dues, async (due) => {
        const stream = await world.stream();
        setClock(world, due - FIRST_PICTURE_MS);
        await world.broadcasts.publish({ stream, clientId: "1" });
      }),
  },

  grace: {
    event: "xstate.after.grace.live-stream.interrupted",
    firesOthers: true,
    async make(world, dues) {
      const streams: { stream: StreamDoc; due: number }[] = [];
      setClock(world, Date.now());
      await eachOf(dues, async (due) => {
        const stream = await world.stream();
        await world.broadcasts.publish({ stream, clientId: "1" });
        streams.push({ stream, due });
      });
      await world.pass(FIRST_PICTURE_MS);
      await eachOf(streams, async ({ stream, due }) => {
        setClock(world, due - BROADCAST_GRACE_MS);
        await world.broadcasts.publishDone({ stream, clientId: "1" });
      });
    },
  },
};

export const liveStreamSubject: Subject = {
  machine: "live-stream",
  driver,
  timers: { starting: ["live-stream.starting"], interrupted: ["live-stream.interrupted"] },
  agrees: expectChannel,
  announces({ before, after }) {
    if (after === "live") return before === "starting" ? ["stream.live"] : [];
    const wasLive = before === "live" || before === "interrupted";
    return after === "offline" && wasLive ? ["stream.offline"] : [];
  },
  ofChannel: async (_db, { streamId }) => [streamId],
  waiting,
};
