import type { Offer } from "../../store/mongo/points/rewards.ts";

/** What an owner offers: a reward without limits that waits for a decision. */
export const rewardOffer = (change: Partial<Offer> = {}): Offer => ({
  title: "Hydrate",
  description: null,
  cost: 10,
  isEnabled: true,
  isPaused: false,
  requiresInput: false,
  skipQueue: false,
  cooldownSeconds: null,
  maxPerStream: null,
  maxPerUserPerStream: null,
  ...change,
});
