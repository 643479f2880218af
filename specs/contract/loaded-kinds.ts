/**
 * Kinds of things that paths name and that are loaded before the handler, by the parameter whose name is the kind's with
 * `_id`: `api/http/resources.ts` has a loader for each.
 */
export const LOADED = {
  StreamId: "stream",
  PredictionId: "prediction",
  RewardId: "reward",
  RedemptionId: "redemption",
  RaidId: "raid",
  PollId: "poll",
  ClipId: "clip",
  VideoId: "video",
} as const;

export type LoadedKind = (typeof LOADED)[keyof typeof LOADED];
