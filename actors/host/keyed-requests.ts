import type { ClientSession, Db } from "mongodb";
import type { Clock } from "../../base/clock.ts";
import { DAY_MS } from "../../base/durations.ts";
import { ServiceError } from "../../contract/errors.ts";
import { idempotencyIn } from "../../store/mongo/driver/idempotency.ts";
import { requestHash } from "./request.ts";

/** TTL of an Idempotency-Key and its answer. */
export const IDEMPOTENCY_TTL_MS = DAY_MS;

/** A request with its caller and its key, if any. A retry must have the same `request` as the first one. */
type KeyedRequest = { by: string; operation: string; key: string | null; request: object };

/** The document id of a key's stored answer. */
export const keyIdOf = ({ by, operation, key }: { by: string; operation: string; key: string }): string =>
  `${by}:${operation}:${key}`;

/** Idempotency-Keys for requests that no actor decides: the transaction that does the work also stores the answer. */
export function keyedRequestsIn(db: Db, clock: Clock) {
  const keys = idempotencyIn(db);
  return {
    /**
     * Runs `act` once per key within 24 hours; a retry gets what `again` finds by the stored answer. Of two concurrent calls
     * the loser fails with a duplicate key, so call this in `inRetriedTransaction`. Throws `idempotency_conflict` when the key
     * was used for another request, and `not_found` when `again` returns null.
     */
    async once<T, Answer>(
      keyed: KeyedRequest,
      session: ClientSession,
      work: {
        act(at: Date): Promise<T>;
        /** What is stored of the result; must be JSON. */
        answerOf(done: T): Answer;
        /** Finds the result of the first run again; null when it no longer exists. */
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
        // Only this operation stores answers under such keys.
        const found = await work.again(known.answer as Answer);
        if (found === null) throw new ServiceError("not_found");
        return found;
      }
      const done = await work.act(at);
      const record = { _id, requestHash: hash, answer: work.answerOf(done) };
      const expiresAt = new Date(at.getTime() + IDEMPOTENCY_TTL_MS);
      await keys.keep([{ ...record, expiresAt }], known ? [_id] : [], at, session);
      return done;
    },
  };
}
