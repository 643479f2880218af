import type { ClientSession, Db } from "mongodb";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { idempotencyIn } from "../../../store/mongo/driver/idempotency.ts";
import { keyIdOf } from "../../host/keyed-requests.ts";

/** As long as the nonce of a message that was published. */
const NONCE_TTL_MS = 10 * MINUTE_MS;

/** Nonces of commands that were sent as messages, which clients send again after a lost answer. */
export function commandNoncesIn(db: Db, clock: Clock) {
  const keys = idempotencyIn(db);
  return {
    /**
     * Within the transaction that carries out the command; false if the user has run a command in this room with this nonce.
     * Nothing is stored of its result, since all commands have the same one. Changes of a channel run one after the other, so
     * that of two repeats at once the second sees the first.
     */
    async take(
      { streamId, by, nonce = null }: { streamId: string; by: string; nonce?: string | null },
      session: ClientSession,
    ): Promise<boolean> {
      if (nonce === null) return true;
      const at = new Date(clock.now());
      const _id = keyIdOf({ by, operation: `chat.command:${streamId}`, key: nonce });
      const [known] = await keys.findMany([_id], session);
      if (known && known.expiresAt > at) return false;
      const expiresAt = new Date(+at + NONCE_TTL_MS);
      await keys.keep([{ _id, requestHash: "", answer: null, expiresAt }], known ? [_id] : [], at, session);
      return true;
    },
  };
}

export type CommandNonces = ReturnType<typeof commandNoncesIn>;
