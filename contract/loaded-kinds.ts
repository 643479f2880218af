/**
 * Kinds of resources that are loaded before the handler, by the path parameter that is named like the kind with `_id` (a user also
 * by name): `api/http/resources.ts` has a loader for each.
 */
export const LOADED = {
  UserId: "user",
  Username: "user",
  WearersName: "user",
  HostUsername: "user",
  ScheduleUsername: "user",
  FollowerName: "user",
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
