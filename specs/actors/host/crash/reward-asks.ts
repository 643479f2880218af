import { newId } from "../../../../base/ids.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import type { RedemptionDoc } from "../../../../store/mongo/points/redemptions.ts";
import type { World } from "../world.ts";
import { type Ask, type Services, type Stage, VIEWER_POINTS } from "./scenario.ts";

const COST = 70;

/** A channel with one reward, and viewers with accounts. */
export async function offered(actors: Services, world: World, viewers: number): Promise<Stage> {
  const stream = await world.stream();
  const users = await Promise.all(Array.from({ length: viewers }, () => world.user()));
  for (const user of users) await world.give(user, stream, VIEWER_POINTS);
  const offer = {
    title: `Reward ${newId()}`,
    description: null,
    cost: COST,
    isEnabled: true,
    isPaused: false,
    requiresInput: false,
    skipQueue: false,
    cooldownSeconds: null,
    maxPerStream: 100,
    maxPerUserPerStream: 2,
  };
  await actors.rewards.create({ stream, offer, by: stream.userId });
  return { stream: { _id: stream._id, userId: stream.userId }, viewers: users, predictionId: null };
}

/** Everybody has redeemed the reward, and nothing is decided. */
export async function queued(actors: Services, world: World, viewers: number): Promise<Stage> {
  const stage = await offered(actors, world, viewers);
  const { items } = await actors.rewards.page(stage.stream.userId, { skip: 0, limit: 1 });
  for (const userId of stage.viewers)
    await actors.rewards.redeem({ rewardId: items[0]?._id ?? "", userId, userInput: null });
  await actors.host.idle();
  return stage;
}

/** All viewers at once, one of them more often than the reward allows. */
export const redeemAll = ({ viewers }: Stage): Ask[] => [
  ...viewers.map((userId, i) => redeem(userId, i)),
  ...viewers.slice(0, 1).flatMap((userId) => [redeem(userId, 100), redeem(userId, 101)]),
];

const redeem = (userId: string, i: number): Ask => ({
  name: `redeem ${i}`,
  repeat: "same answer",
  async run(actors, stream) {
    const [reward] = (await actors.rewards.page(stream.userId, { skip: 0, limit: 1 })).items;
    return actors.rewards.redeem({
      rewardId: reward?._id ?? "",
      userId,
      userInput: null,
      key: `redeem:${i}`,
    });
  },
});

/** Decides each viewer's redemption, alternately: fulfilled or refunded. */
export const decideAll = ({ viewers }: Stage): Ask[] =>
  viewers.map((userId, i) => {
    const type = i % 2 === 0 ? "fulfil" : "refund";
    return {
      name: `${type} ${i}`,
      repeat: "same answer",
      run: async (actors, stream) =>
        actors.redemptions[type](await redemptionOf(actors, stream, userId), stream.userId, `${type}:${i}`),
    };
  });

async function redemptionOf(actors: Services, stream: StreamDoc, userId: string): Promise<RedemptionDoc> {
  const { items } = await actors.redemptions.page({ channelUserId: stream.userId }, { skip: 0, limit: 100 });
  const own = items.find(({ redeemerId }) => redeemerId === userId);
  if (!own) throw new ServiceError("not_found");
  return own;
}

export const remove: Ask = {
  name: "delete",
  repeat: "harmless",
  async run(actors, stream) {
    const [reward] = (await actors.rewards.page(stream.userId, { skip: 0, limit: 1 })).items;
    if (reward) await actors.rewards.delete(reward._id, stream.userId);
    return "gone";
  },
};
