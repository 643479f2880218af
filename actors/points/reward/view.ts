import type { NewReward, RewardUpdate } from "../../../contract/wire.ts";
import type { BoughtReward } from "../../../store/mongo/points/redemptions.ts";
import { type Offer, type RewardDoc, titleKeyOf } from "../../../store/mongo/points/rewards.ts";
import type { ActorState } from "../../host/actor-types.ts";
import type { RewardContext } from "./machine.ts";

/** The projection of an actor's state. */
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

/** The copy of a reward that a redemption stores. */
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

/** An owner's new offer, with defaults. */
export const newOffer = (request: NewReward): Offer => ({
  title: request.title,
  description: request.description ?? null,
  cost: request.cost,
  isEnabled: request.is_enabled ?? true,
  isPaused: request.is_paused ?? false,
  requiresInput: request.requires_input ?? false,
  skipQueue: request.skip_queue ?? false,
  cooldownSeconds: request.cooldown_seconds ?? null,
  maxPerStream: request.max_per_stream ?? null,
  maxPerUserPerStream: request.max_per_user_per_stream ?? null,
});

/** Only the fields that an owner changes. */
export function changedOffer(request: RewardUpdate): Partial<Offer> {
  const all: { [Key in keyof Offer]: Offer[Key] | undefined } = {
    title: request.title,
    description: request.description,
    cost: request.cost,
    isEnabled: request.is_enabled,
    isPaused: request.is_paused,
    requiresInput: request.requires_input,
    skipQueue: request.skip_queue,
    cooldownSeconds: request.cooldown_seconds,
    maxPerStream: request.max_per_stream,
    maxPerUserPerStream: request.max_per_user_per_stream,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
