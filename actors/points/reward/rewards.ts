import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { idempotencyIn } from "../../../store/mongo/driver/idempotency.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { type Offer, type RewardDoc, rewardsIn } from "../../../store/mongo/points/rewards.ts";
import { type By, createActorClient } from "../../host/actor-client.ts";
import type { Host } from "../../host/host.ts";
import { defineLifecycle } from "../../host/lifecycle.ts";
import { type Availability, availabilityIn } from "./availability.ts";
import { type RewardDefinition, rewardDefinition } from "./definition.ts";
import type { RewardAnswer } from "./effects.ts";

type Deps = { mongo: Mongo; host: Host; definition: RewardDefinition; clock: Clock };

/** A channel's rewards and their redemption. Callers check who may change them; refusals are thrown as ServiceErrors. */
function createRewards({ mongo, host, definition, clock }: Deps) {
  const rewards = rewardsIn(mongo.db);
  const availabilityOf = availabilityIn(mongo.db, definition);
  const keys = idempotencyIn(mongo.db);
  const actors = createActorClient(host, definition);

  const rewardOf = ({ reward }: RewardAnswer): RewardDoc => {
    if (!reward) throw new Error("a reward is answered with itself");
    return reward;
  };

  return {
    /** Throws `limit_reached`, `reward_title_taken`. */
    async create(made: { stream: StreamDoc; offer: Offer } & By): Promise<RewardDoc> {
      const { stream, offer, by, key } = made;
      const input = { ...offer, channelUserId: stream.userId, streamId: stream._id };
      return rewardOf(await actors.create(newId(), input, { by, key }));
    },

    /** Throws `not_found`, `reward_title_taken`. */
    change: async (id: string, offer: Partial<Offer>, by: string): Promise<RewardDoc> =>
      rewardOf(await actors.ask(id, { type: "change", offer }, { by })),

    /** Pending redemptions are refunded afterwards, in batches; the answer doesn't wait for them. */
    delete: async (id: string, by: string): Promise<void> =>
      void (await actors.ask(id, { type: "delete", userId: by }, { by })),

    /** Whether a redemption was requested under that key before; it gets the same answer, or is refused for another request. */
    async isRepeat(userId: string, key: string | null): Promise<boolean> {
      if (key === null) return false;
      return (await keys.findMany([actors.keyOf({ by: userId, key }, "redeem")])).length > 0;
    },

    /** Redeems a reward and takes its price. Throws the refusals in definition.ts. */
    async redeem(redeemed: {
      rewardId: string;
      userId: string;
      userInput: string | null;
      key?: string | null;
    }) {
      const { rewardId, userId, userInput, key } = redeemed;
      const command = { type: "redeem", redemptionId: newId(), userId, userInput } as const;
      const request = { rewardId, userInput };
      const { bought } = await actors.ask(rewardId, command, { by: userId, key }, { request });
      if (!bought) throw new Error("redeeming is answered with a redemption");
      return bought;
    },

    /** Throws `not_found`. */
    async require(id: string): Promise<RewardDoc> {
      const doc = await rewards.find(id);
      if (!doc) throw new ServiceError("not_found");
      return doc;
    },
    /** The cheapest first. */
    page: (channelUserId: string, range: Range) => rewards.page(channelUserId, range),
    /** What redemptions have left of rewards of one channel, in their order. */
    availability: (docs: RewardDoc[]): Promise<Availability[]> => availabilityOf(docs, clock.now()),
  };
}

export const rewardsLifecycle = defineLifecycle({
  define: ({ db }) => rewardDefinition(db),
  open: createRewards,
});

/** What a path names by {reward_id}. */
export async function rewardResource(
  { rewards }: { rewards: { require(id: string): Promise<RewardDoc> } },
  id: string,
) {
  const reward = await rewards.require(id);
  return { thing: reward, channel: { _id: reward.streamId, userId: reward.channelUserId } };
}
