import type { ClientSession, Db } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { idempotencyIn } from "../../store/mongo/idempotency.ts";
import { requestHash } from "./request.ts";

/** How long an Idempotency-Key answers for what was done under it. */
export const KEY_LIFE_MS = 24 * 3_600_000;

/** Who asks for what under which key, if any; `request` is what a repeat must have in common with the first one. */
export type KeyedRequest = { by: string; operation: string; key: string | null; request: object };

/** Where a key's answer is kept. */
export const keyIdOf = ({ by, operation, key }: { by: string; operation: string; key: string }): string =>
  `${by}:${operation}:${key}`;

/** Idempotency-Keys of what no actor decides: the answer is kept by the transaction that does what was asked. */
export function keyedRequestsIn(db: Db, clock: Clock) {
  const keys = idempotencyIn(db);
  return {
    /**
     * What `act` does, done once for a day: a repeat gets what `again` finds by the kept answer. Two at once meet at the key,
     * a duplicate one for the loser: wrap it in `retryingConflicts`. Throws `idempotency_conflict`.
     */
    async once<T, Answer>(
      keyed: KeyedRequest,
      session: ClientSession,
      work: {
        act(at: Date): Promise<T>;
        /** What is kept of it: what JSON holds. */
        answerOf(done: T): Answer;
        /** Null when it is no more. */
        again(answer: Answer): Promise<T | null>;
      },
    ): Promise<T> {
      const at = new Date(clock.now());
      const { by, operation, key } = keyed;
      if (key === null) return work.act(at);
      const _id = keyIdOf({ by, operation, key });
      const hash = requestHash(keyed.request);
      const [known] = await keys.findMany([_id], session);
      if (known && known.expiresAt > at) {
        if (known.requestHash !== hash) throw new ServiceError("idempotency_conflict");
        // Only this operation keeps answers under such keys.
        const found = await work.again(known.answer as Answer);
        if (found === null) throw new ServiceError("not_found");
        return found;
      }
      const done = await work.act(at);
      const kept = { _id, requestHash: hash, answer: work.answerOf(done) };
      const expiresAt = new Date(at.getTime() + KEY_LIFE_MS);
      await keys.keep([{ ...kept, expiresAt }], known ? [_id] : [], at, session);
      return done;
    },
  };
}
