import type { NewReward, RewardUpdate } from "../../specs/contract/wire.ts";
import type { BoughtReward } from "../../store/mongo/redemptions.ts";
import { type Offer, type RewardDoc, titleKeyOf } from "../../store/mongo/rewards.ts";
import type { ActorState } from "../host/actor-types.ts";
import type { RewardContext } from "./machine.ts";

/** How the actor reads. */
export function rewardDoc({ id, context }: Pick<ActorState<RewardContext>, "id" | "context">): RewardDoc {
  const { channelUserId, streamId, createdAt } = context;
  const offer = offerOf(context);
  return {
    _id: id,
    channelUserId,
    streamId,
    ...offer,
    titleKey: titleKeyOf(offer.title),
    createdAt: new Date(createdAt),
  };
}

/** As a redemption keeps it. */
export const boughtReward = (id: string, context: RewardContext): BoughtReward => ({
  _id: id,
  ...offerOf(context),
  createdAt: new Date(context.createdAt),
});

const offerOf = (of: Offer): Offer => ({
  title: of.title,
  description: of.description,
  cost: of.cost,
  isEnabled: of.isEnabled,
  isPaused: of.isPaused,
  requiresInput: of.requiresInput,
  skipQueue: of.skipQueue,
  cooldownSeconds: of.cooldownSeconds,
  maxPerStream: of.maxPerStream,
  maxPerUserPerStream: of.maxPerUserPerStream,
});

/** What an owner says, with what holds where nothing is said. */
export const newOffer = (said: NewReward): Offer => ({
  title: said.title,
  description: said.description ?? null,
  cost: said.cost,
  isEnabled: said.is_enabled ?? true,
  isPaused: said.is_paused ?? false,
  requiresInput: said.requires_input ?? false,
  skipQueue: said.skip_queue ?? false,
  cooldownSeconds: said.cooldown_seconds ?? null,
  maxPerStream: said.max_per_stream ?? null,
  maxPerUserPerStream: said.max_per_user_per_stream ?? null,
});

/** What an owner changes, and nothing else. */
export function changedOffer(said: RewardUpdate): Partial<Offer> {
  const all: { [Key in keyof Offer]: Offer[Key] | undefined } = {
    title: said.title,
    description: said.description,
    cost: said.cost,
    isEnabled: said.is_enabled,
    isPaused: said.is_paused,
    requiresInput: said.requires_input,
    skipQueue: said.skip_queue,
    cooldownSeconds: said.cooldown_seconds,
    maxPerStream: said.max_per_stream,
    maxPerUserPerStream: said.max_per_user_per_stream,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
