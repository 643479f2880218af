import { createHmac } from "node:crypto";
import { addressKey } from "../../../base/addresses.ts";
import { HOUR_MS } from "../../../base/durations.ts";
import { isTransient } from "../../../base/failures/mongo.ts";
import { inRetriedTransaction } from "../../../store/mongo/driver/retried-transaction.ts";
import type { TransactionTime } from "../../../store/mongo/driver/transaction.ts";
import { clipsIn } from "../../../store/mongo/live/clips.ts";
import { type CountedViewDoc, countedViewsIn } from "../../../store/mongo/live/counted-views.ts";
import { weightOfViews } from "../../../store/mongo/live/trending-score.ts";
import { videosIn } from "../../../store/mongo/live/videos.ts";
import type { FeatureDeps } from "../../features/deps.ts";
import { GroupCommit } from "../../host/group-commit.ts";
import { overloaded, queuePerKey } from "../../host/queue-per-key.ts";
import { deriveKey } from "../../keys/sealing.ts";

const COUNTS_AGAIN_MS = HOUR_MS;
const VIEWS_A_TRANSACTION = 200;
/** The queues' limit; beyond it, 503. */
const MAX_WAITING = 2_000;
const MAX_WAIT_MS = 2_000;
/** Deadlines of transactions, ms; with the waits in queues, less than a request may take. */
const ONCE = { attemptMs: 2_000, allMs: 0 };
const AGAIN = { allMs: 3_000 };

type Thing = { kind: "clip" | "video"; id: string };
/** `userId` is null for anonymous viewers. */
type Viewer = { userId: string | null; ip: string };
type View = Thing & { key: string; userId: string | null };

/**
 * Counts views of clips and videos: one per viewer and hour; for anonymous viewers, one per address and hour. A process runs its
 * transactions sequentially, since those of a popular clip would conflict; views that arrive faster share the next transaction
 * (group commit). A conflicting transaction isn't retried: its views move to a queue per clip, so that a locked clip doesn't
 * block the others.
 */
export function createViewCounts(deps: Pick<FeatureDeps, "mongo" | "clock" | "masterKey">) {
  const { mongo, clock } = deps;
  const counted = countedViewsIn(mongo.db);
  const clips = clipsIn(mongo.db);
  const videos = videosIn(mongo.db);
  const addressesKey = deriveKey(deps.masterKey, "view-addresses");

  const hashOf = (ip: string) =>
    createHmac("sha256", addressesKey).update(addressKey(ip)).digest("base64url");

  /** Two workers that count the same viewer concurrently conflict on the view's key. */
  const writing =
    (time: TransactionTime) =>
    (views: View[]): Promise<true[]> =>
      inRetriedTransaction(
        mongo.client,
        async (session) => {
          const now = new Date(clock.now());
          const expiresAt = new Date(now.getTime() + COUNTS_AGAIN_MS);
          const byKey = new Map(views.map((view) => [view.key, view]));
          const seen = [...byKey.values()].map(
            ({ key, userId }): CountedViewDoc => ({ _id: key, userId, expiresAt }),
          );
          const fresh = await counted.keepNew(seen, now, session);
          const things = fresh.flatMap(({ _id }) => byKey.get(_id) ?? []);
          const ofClips = countsOf(things, "clip");
          await clips.countViews(
            ofClips.map((one) => ({ ...one, weight: weightOfViews(one.count, now) })),
            session,
          );
          await videos.countViews(countsOf(things, "video"), session);
          return views.map(() => true as const);
        },
        time,
      );

  const line = (time: TransactionTime) =>
    new GroupCommit<View, true>({
      concurrency: 1,
      maxBatch: VIEWS_A_TRANSACTION,
      maxWaitMs: MAX_WAIT_MS,
      run: writing(time),
      timeoutError: overloaded,
      single: null,
    });
  const ofAll = queuePerKey(() => line(ONCE), MAX_WAITING);
  const ofOne = queuePerKey(() => line(AGAIN), MAX_WAITING);

  return {
    /** Throws `unavailable`. */
    async count({ kind, id }: Thing, { userId, ip }: Viewer): Promise<void> {
      const view = { kind, id, userId, key: `${id}:${userId ?? hashOf(ip)}` };
      await ofAll("", (shared) =>
        shared.do(view).catch((err: unknown) => {
          if (!isTransient(err)) throw err;
          return ofOne(id, (own) => own.do(view));
        }),
      );
    },
  };
}

function countsOf(views: readonly View[], kind: Thing["kind"]): { id: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const view of views) {
    if (view.kind === kind) counts.set(view.id, (counts.get(view.id) ?? 0) + 1);
  }
  return [...counts].map(([id, count]) => ({ id, count }));
}
