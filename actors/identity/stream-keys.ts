import { createHash, randomBytes } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { Clock } from "../../store/clock.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { streamsIn } from "../../store/mongo/streams.ts";
import { timersIn } from "../../store/mongo/timers.ts";
import { messageTo } from "../host/outbox-draft.ts";
import { type Sealing, streamKeyContext } from "./sealing.ts";

/** A new secret ingest key: 256 bits, in characters that every encoder's form field and URL takes as they are. */
export function newStreamKey(): string {
  return `live_${randomBytes(32).toString("base64url")}`;
}

/** How a key is kept and looked up. No salt: the key has 256 bits of its own, and a hook is matched by index. */
export function streamKeyHash(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** What the actor of a stream is told of its next key. */
export function newKeyOf(streamId: string, sealing: Pick<Sealing, "seal">) {
  const key = newStreamKey();
  const keySealed = sealing.seal(key, streamKeyContext(streamId));
  return { type: "keyRotated" as const, keyHash: streamKeyHash(key), keySealed };
}

/**
 * Gives the user's stream another key by a message to its actor, so that both come of the transaction or neither: a moment later the
 * old key is refused, and a broadcast with it is over. Gives the stream's id.
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
