import { createHash, randomBytes } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { Clock } from "../../../base/clock.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { timersIn } from "../../../store/mongo/host/timers.ts";
import { messageTo } from "../../host/outbox-draft.ts";
import { type Sealing, streamKeyContext } from "../../keys/sealing.ts";

/** A new secret ingest key: 256 bits, in characters that need no escaping in encoders' form fields and URLs. */
export function newStreamKey(): string {
  return `live_${randomBytes(32).toString("base64url")}`;
}

/** How a key is stored and looked up. Unsalted: the key has 256 random bits, and hooks look it up by an index. */
export function streamKeyHash(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** The command that gives a stream's actor its next key. */
export function newKeyOf(streamId: string, sealing: Pick<Sealing, "seal">) {
  const key = newStreamKey();
  const keySealed = sealing.seal(key, streamKeyContext(streamId));
  return { type: "keyRotated" as const, keyHash: streamKeyHash(key), keySealed };
}

/**
 * Rotates the key of the user's stream by a message to its actor, which is committed with the caller's transaction. A moment
 * later the old key is refused, and a broadcast that uses it ends. Returns the stream's id.
 */
export function createKeyRotation(deps: { mongo: Mongo; sealing: Pick<Sealing, "seal">; clock: Clock }) {
  const { sealing, clock } = deps;
  const [streams, timers] = [streamsIn(deps.mongo.db), timersIn(deps.mongo.db)];
  return async (userId: string, session: ClientSession): Promise<string> => {
    const stream = await streams.findByUser(userId);
    if (!stream) throw new Error("an account has no stream");
    const to = { machine: "live-stream", id: stream._id };
    const command = newKeyOf(stream._id, sealing);
    const input = { ownerId: userId };
    await timers.send([messageTo(to, command, { by: null, input }, new Date(clock.now()))], session);
    return stream._id;
  };
}
