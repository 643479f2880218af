import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import type { HistoryDoc } from "../../../store/mongo/host/history.ts";
import { accountOf } from "../../../store/mongo/points/balances.ts";
import {
  type RedemptionDoc,
  type RedemptionFilter,
  redemptionsIn,
} from "../../../store/mongo/points/redemptions.ts";
import { createActorClient } from "../../host/actor-client.ts";
import type { Host } from "../../host/host.ts";
import { defineLifecycle } from "../../host/lifecycle.ts";
import { sequentialByKey } from "../../host/sequential-by-key.ts";
import { type RedemptionDefinition, redemptionDefinition } from "./definition.ts";
import { REDEMPTION_EXPIRY_MS } from "./machine.ts";

export type Redemptions = ReturnType<typeof createRedemptions>;

type Deps = { mongo: Mongo; host: Host; definition: RedemptionDefinition; clock: Clock; log: Log };

const PAGE = 200;
/** After this time a sweep starts no further refund; the next one continues there. */
const ROUND_MS = 15_000;
/** How many balances a sweep refunds to concurrently. Concurrent refunds to one balance would only conflict. */
const BALANCES_CONCURRENCY = 8;

/** Redemptions and their decisions. Callers check who may decide; refusals are thrown as ServiceErrors. */
function createRedemptions({ mongo, host, definition, clock, log }: Deps) {
  const redemptions = redemptionsIn(mongo.db);
  const actors = createActorClient(host, definition);
  /** The cursor of the last sweep; null = it reached the end. */
  let sweepCursor: RedemptionDoc | null = null;

  const inputOf = (doc: RedemptionDoc) => ({
    rewardId: doc.rewardId,
    redeemerId: doc.redeemerId,
    boughtAt: doc.createdAt.getTime(),
  });

  const decide = (doc: RedemptionDoc, type: "fulfil" | "refund", by: string, key?: string | null) =>
    actors.ask(doc._id, { type }, { by, key }, { input: inputOf(doc) });

  /** Creates the redemption's actor, whose overdue timer fires at once and refunds it. */
  async function expire(doc: RedemptionDoc): Promise<void> {
    const made = await host.create(definition, doc._id, inputOf(doc), { by: null });
    // `invalid_state`: somebody decided it meanwhile.
    if (!made.ok && made.refusal.code !== "invalid_state") throw ServiceError.of(made.refusal);
  }

  /** Returns the last redemption up to which all were tried in time; null for none. */
  async function refundPage(docs: RedemptionDoc[], until: number): Promise<RedemptionDoc | null> {
    const tried = new Set<RedemptionDoc>();
    const failures: unknown[] = [];
    await sequentialByKey(docs, { keyOf: balanceOf, concurrency: BALANCES_CONCURRENCY }, async (doc) => {
      if (performance.now() >= until) return;
      tried.add(doc);
      await expire(doc).catch((err: unknown) => void failures.push(err));
    });
    if (failures.length > 0)
      log.warn({ err: failures[0], failures: failures.length }, "redemptions could not be refunded yet");
    const next = docs.findIndex((doc) => !tried.has(doc));
    return docs.at(next === -1 ? -1 : Math.max(0, next - 1)) ?? null;
  }

  return {
    /** Throws `not_found`. */
    async require(id: string): Promise<RedemptionDoc> {
      const doc = await redemptions.find(id);
      if (!doc) throw new ServiceError("not_found");
      return doc;
    },
    /** In any order; unknown ids are left out. */
    findMany: redemptions.findMany,
    /** Newest first. */
    page: (filter: RedemptionFilter, range: Range) => redemptions.page(filter, range),
    /** A user's own redemptions, newest first; `channelUserId` null: on all channels. */
    pageOfUser: (userId: string, channelUserId: string | null, range: Range) =>
      redemptions.pageOfUser(userId, channelUserId, range),

    /** Throws `invalid_state` when it isn't pending any more. */
    fulfil: (doc: RedemptionDoc, by: string, key?: string | null) => decide(doc, "fulfil", by, key),
    refund: (doc: RedemptionDoc, by: string, key?: string | null) => decide(doc, "refund", by, key),

    /** State changes, oldest first. Most redemptions have no actor, so their only change is the purchase. */
    async history(doc: RedemptionDoc, range: Range) {
      const bought = boughtChange(doc);
      const { items, total } = await actors.history(doc._id, range);
      if (total === 0) return { items: [bought].slice(range.skip, range.skip + range.limit), total: 1 };
      return { items: items.map((change) => (change.event === "create" ? bought : change)), total };
    },

    /** Refunds redemptions pending for REDEMPTION_EXPIRY_MS. A failed refund doesn't block others; a later sweep retries it. */
    async refundExpired(): Promise<void> {
      const pendingBefore = new Date(clock.now() - REDEMPTION_EXPIRY_MS);
      const until = performance.now() + ROUND_MS;
      do {
        const docs = await redemptions.pendingSince(pendingBefore, sweepCursor, PAGE);
        sweepCursor = (await refundPage(docs, until)) ?? sweepCursor;
        if (docs.length < PAGE && sweepCursor === (docs.at(-1) ?? sweepCursor)) {
          sweepCursor = null;
          return;
        }
      } while (performance.now() < until);
    },
  };
}

const balanceOf = ({ redeemerId, channelUserId }: RedemptionDoc) => accountOf(redeemerId, channelUserId);

const boughtChange = (doc: RedemptionDoc): HistoryDoc => ({
  _id: `redemption:${doc._id}:1:0`,
  actor: `redemption:${doc._id}`,
  version: 1,
  n: 0,
  event: "create",
  from: null,
  to: doc.reward.skipQueue ? "fulfilled" : "pending",
  by: doc.redeemerId,
  at: doc.createdAt,
});

export const redemptionsLifecycle = defineLifecycle({
  define: ({ db }) => redemptionDefinition(db),
  open: createRedemptions,
});

/** What a path names by {redemption_id}. */
export async function redemptionResource(
  { redemptions }: { redemptions: { require(id: string): Promise<RedemptionDoc> } },
  id: string,
) {
  const redemption = await redemptions.require(id);
  const { streamId, channelUserId, redeemerId: authorId } = redemption;
  return { thing: redemption, channel: { _id: streamId, userId: channelUserId }, authorId };
}
