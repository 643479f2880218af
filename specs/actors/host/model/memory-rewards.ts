import { NO_BARS } from "../../../../actors/channels/viewer-bars.ts";
import type { EffectHandlers } from "../../../../actors/host/effect.ts";
import { eachOf } from "../../../../actors/host/effect.ts";
import type { Posting } from "../../../../actors/points/ledger/post.ts";
import type { RedemptionTypes } from "../../../../actors/points/redemption/definition.ts";
import { pricePosting, refundOf } from "../../../../actors/points/redemption/refund.ts";
import type { RewardReads, RewardTypes } from "../../../../actors/points/reward/effects.ts";
import type { UserWithoutSecrets } from "../../../../store/mongo/accounts/users.ts";
import type { RedemptionDoc } from "../../../../store/mongo/points/redemptions.ts";
import type { MemoryRequest } from "./memory-host.ts";

type Ledger = { balances: Map<string, number>; move(key: string, userId: string, delta: number): void };

/** The collections of rewards and redemptions of one channel, as maps; redemptions in order of purchase. */
export class MemoryRewards {
  readonly redemptions = new Map<string, RedemptionDoc>();
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The result of the reward's `prepare` for a batch, before any broadcast. */
  reads(rewardId: string, batch: MemoryRequest[]): RewardReads {
    const ids = batch.flatMap(({ command }) => (command?.type === "redeem" ? [command.userId] : []));
    const { balances } = this.#ledger;
    const own = [...this.redemptions.values()].filter((doc) => doc.rewardId === rewardId);
    return {
      place: 0,
      otherTitles: new Set(),
      users: new Map(ids.map((id) => [id, userDoc(id)])),
      balances: new Map(ids.map((id) => [id, balances.get(id) ?? 0])),
      bans: new Map(),
      bars: NO_BARS,
      redeemed: new Map(ids.map((id) => [id, own.filter(({ redeemerId }) => redeemerId === id).length])),
      bought: new Map(),
      since: null,
      roomId: null,
      sold: [],
    };
  }

  /** The next redemptions to refund. */
  pendingAfter(rewardId: string, cursor: string, limit: number): RedemptionDoc[] {
    return [...this.redemptions.values()]
      .filter((doc) => doc.rewardId === rewardId && doc.status === "pending" && doc._id > cursor)
      .sort((a, b) => (a._id < b._id ? -1 : 1))
      .slice(0, limit);
  }

  pendingSince(then: Date): RedemptionDoc[] {
    return [...this.redemptions.values()].filter(
      ({ status, createdAt }) => status === "pending" && createdAt <= then,
    );
  }

  /** The rewards' effects: the same decisions, writing to memory. */
  rewardEffects(real: EffectHandlers<RewardTypes>): EffectHandlers<RewardTypes> {
    const nothing = { write: () => undefined };
    return {
      list: nothing,
      relist: nothing,
      delist: nothing,
      sell: {
        ...real.sell,
        write: (batches) => {
          for (const doc of batches.flatMap(({ reads }) => reads.sold)) {
            this.redemptions.set(doc._id, doc);
            this.#post(pricePosting(doc));
          }
        },
      },
      refundAll: {
        write: (batches) => {
          for (const [{ params }, { now }] of eachOf(batches)) {
            for (const doc of params.members) this.#end({ ...doc, status: "refunded" }, now);
          }
        },
      },
    };
  }

  redemptionEffects(real: EffectHandlers<RedemptionTypes>): EffectHandlers<RedemptionTypes> {
    return {
      conclude: {
        ...real.conclude,
        write: (batches) => {
          for (const { reads, now } of batches) if (reads.redemption) this.#end(reads.redemption, now);
        },
      },
    };
  }

  /** As in the store: only a pending one can end. */
  #end(doc: RedemptionDoc, now: Date): void {
    if (this.redemptions.get(doc._id)?.status !== "pending") throw new Error(`${doc._id} ended before`);
    this.redemptions.set(doc._id, doc);
    if (doc.status === "refunded") this.#post(refundOf(doc, now));
  }

  #post({ key, userId, delta }: Posting): void {
    this.#ledger.move(key, userId, delta);
  }
}

const userDoc = (id: string): UserWithoutSecrets => ({
  _id: id,
  username: id,
  usernameTitle: id,
  usernameChangedAt: null,
  imageUrl: null,
  bannerUrl: null,
  bio: null,
  socialLinks: {},
  seoTags: {},
  isVerified: false,
  isStaff: false,
  status: "active",
  createdAt: new Date(0),
  updatedAt: new Date(0),
});
