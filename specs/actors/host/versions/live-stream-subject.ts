import { liveStreamDefinition } from "../../../../actors/live/live-stream/definition.ts";
import type { LiveStreamContext } from "../../../../actors/live/live-stream/schemas.ts";
import { newId } from "../../../../base/ids.ts";
import type { UserDoc } from "../../../../store/mongo/accounts/users.ts";
import type { BroadcastDoc } from "../../../../store/mongo/live/broadcasts.ts";
import type { PublisherDoc } from "../../../../store/mongo/live/publishers.ts";
import type { World } from "../world.ts";
import type { KeptSnapshot } from "./kept.ts";
import type { Subject } from "./stage.ts";

const CONNECTED = "17";
/** Later than all events of kept actors. */
const AFTER_ALL = Date.UTC(2200, 0);
const KEY_HASH = "the key of now";

export function liveStreamSubject(world: World): Subject {
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
