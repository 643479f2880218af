import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import { accountOf } from "../../store/mongo/balances.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { HistoryDoc } from "../../store/mongo/history.ts";
import { type RedemptionDoc, type RedemptionFilter, redemptionsIn } from "../../store/mongo/redemptions.ts";
import { createActorClient } from "../host/actor-client.ts";
import type { Host } from "../host/host.ts";
import { inLines } from "../host/in-lines.ts";
import type { RedemptionDefinition } from "./definition.ts";
import { EXPIRY_MS } from "./machine.ts";

export type Redemptions = ReturnType<typeof createRedemptions>;

type Deps = { mongo: Mongo; host: Host; definition: RedemptionDefinition; clock: Clock; log: Log };

const PAGE = 200;
/** No further refund is begun after so long; the next sweep goes on there. */
const ROUND_MS = 15_000;
/** Balances that a sweep refunds to at a time. Refunds to one balance would only fail each other at once. */
const BALANCES_AT_ONCE = 8;

/** What was redeemed, and what became of it. Who may decide is checked before; refusals are thrown as ServiceErrors. */
export function createRedemptions({ mongo, host, definition, clock, log }: Deps) {
  const redemptions = redemptionsIn(mongo.db);
  const actors = createActorClient(host, definition);
  /** Where the last sweep stopped; null = it came to the end. */
  let sweptUpTo: RedemptionDoc | null = null;

  const inputOf = (doc: RedemptionDoc) => ({
    rewardId: doc.rewardId,
    redeemerId: doc.redeemerId,
    boughtAt: doc.createdAt.getTime(),
  });

  const decide = (doc: RedemptionDoc, type: "fulfil" | "refund", by: string, key?: string | null) =>
    actors.ask(doc._id, { type }, { by, key }, { input: inputOf(doc) });

  /** Its actor comes to be and does at once what it is late for. */
  async function expire(doc: RedemptionDoc): Promise<void> {
    const made = await host.create(definition, doc._id, inputOf(doc), { by: null });
    // Somebody decided it meanwhile.
    if (!made.ok && made.refusal.code !== "invalid_state") throw ServiceError.of(made.refusal);
  }

  /** Gives back the last one up to which all were tried in time; null for none. */
  async function refundPage(docs: RedemptionDoc[], until: number): Promise<RedemptionDoc | null> {
    const tried = new Set<RedemptionDoc>();
    const failures: unknown[] = [];
    await inLines(docs, { lineOf: balanceOf, atOnce: BALANCES_AT_ONCE }, async (doc) => {
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

    /** Refunds what has been pending for EXPIRY_MS. What can't be refunded yet keeps nobody else waiting: the sweep comes back to it. */
    async refundExpired(): Promise<void> {
      const then = new Date(clock.now() - EXPIRY_MS);
      const until = performance.now() + ROUND_MS;
      do {
        const docs = await redemptions.pendingSince(then, sweptUpTo, PAGE);
        sweptUpTo = (await refundPage(docs, until)) ?? sweptUpTo;
        if (docs.length < PAGE && sweptUpTo === (docs.at(-1) ?? sweptUpTo)) {
          sweptUpTo = null;
          return;
        }
      } while (performance.now() < until);
    },
  };
}

const balanceOf = ({ redeemerId, channelUserId }: RedemptionDoc) => accountOf(redeemerId, channelUserId);

const boughtChange = (doc: RedemptionDoc): HistoryDoc => ({
  ...{ _id: `redemption:${doc._id}:1:0`, actor: `redemption:${doc._id}`, version: 1, n: 0 },
  ...{ event: "create", from: null, to: doc.reward.skipQueue ? "fulfilled" : "pending" },
  ...{ by: doc.redeemerId, at: doc.createdAt },
});
