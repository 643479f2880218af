import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { HistoryDoc } from "../../store/mongo/history.ts";
import { type RedemptionDoc, type RedemptionFilter, redemptionsIn } from "../../store/mongo/redemptions.ts";
import { createActorClient } from "../host/actor-client.ts";
import type { Host } from "../host/host.ts";
import type { RedemptionDefinition } from "./definition.ts";
import { EXPIRY_MS } from "./machine.ts";

export type Redemptions = ReturnType<typeof createRedemptions>;

type Deps = { mongo: Mongo; host: Host; definition: RedemptionDefinition; clock: Clock; log: Log };

/** Of one sweep, in pages; more are left to the next. */
const FORGOTTEN_AT_ONCE = 64;
const MAX_PAGES = 50;

/** What was redeemed, and what became of it. Who may decide is checked before; refusals are thrown as ServiceErrors. */
export function createRedemptions({ mongo, host, definition, clock, log }: Deps) {
  const redemptions = redemptionsIn(mongo.db);
  const actors = createActorClient(host, definition);

  const inputOf = (doc: RedemptionDoc) => ({
    rewardId: doc.rewardId,
    redeemerId: doc.redeemerId,
    boughtAt: doc.createdAt.getTime(),
  });

  const decide = (doc: RedemptionDoc, type: "fulfil" | "refund", by: string, key?: string | null) =>
    actors.ask(doc._id, { type }, { by, key }, { input: inputOf(doc) });

  /** Its actor comes to be and does at once what it is late for. */
  async function forget(doc: RedemptionDoc): Promise<void> {
    const made = await host.create(definition, doc._id, inputOf(doc), { by: null });
    // Somebody decided it meanwhile.
    if (!made.ok && made.refusal.code !== "invalid_state") throw ServiceError.of(made.refusal);
  }

  return {
    /** Throws `not_found`. */
    async require(id: string): Promise<RedemptionDoc> {
      const doc = await redemptions.find(id);
      if (!doc) throw new ServiceError("not_found");
      return doc;
    },
    /** In any order; those that there aren't are left out. */
    findMany: redemptions.findMany,
    /** Newest first. */
    page: (filter: RedemptionFilter, skip: number, limit: number) => redemptions.page(filter, skip, limit),
    /** A user's own on all channels, newest first. */
    pageOfUser: (userId: string, skip: number, limit: number) => redemptions.pageOfUser(userId, skip, limit),

    /** Throws `invalid_state` when it isn't pending any more. */
    fulfil: (doc: RedemptionDoc, by: string, key?: string | null) => decide(doc, "fulfil", by, key),
    refund: (doc: RedemptionDoc, by: string, key?: string | null) => decide(doc, "refund", by, key),

    /** Changes of state, oldest first. Most redemptions have no actor, and then one change: they were bought. */
    async history(doc: RedemptionDoc, skip: number, limit: number) {
      const bought = boughtChange(doc);
      const { items, total } = await actors.history(doc._id, skip, limit);
      if (total === 0) return { items: [bought].slice(skip, skip + limit), total: 1 };
      return { items: items.map((change) => (change.event === "create" ? bought : change)), total };
    },

    /** Refunds what has been pending for 30 days. */
    async refundForgotten(): Promise<void> {
      const then = new Date(clock.now() - EXPIRY_MS);
      for (let page = 0; page < MAX_PAGES; page++) {
        const docs = await redemptions.pendingSince(then, FORGOTTEN_AT_ONCE);
        const done = await Promise.allSettled(docs.map(forget));
        const failures = done.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
        if (failures.length > 0)
          log.warn({ err: failures[0], failures: failures.length }, "redemptions could not be refunded yet");
        // Those that failed would be found again.
        if (docs.length < FORGOTTEN_AT_ONCE || failures.length > 0) return;
      }
    },
  };
}

const boughtChange = (doc: RedemptionDoc): HistoryDoc => ({
  ...{ _id: `redemption:${doc._id}:1:0`, actor: `redemption:${doc._id}`, version: 1, n: 0 },
  ...{ event: "create", from: null, to: doc.reward.skipQueue ? "fulfilled" : "pending" },
  ...{ by: doc.redeemerId, at: doc.createdAt },
});
