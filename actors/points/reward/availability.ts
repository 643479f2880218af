import type { Db } from "mongodb";
import { snapshotsIn } from "../../../store/mongo/host/snapshots.ts";
import { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import type { RewardDoc } from "../../../store/mongo/points/rewards.ts";
import { restore, UnreadableSnapshot } from "../../host/snapshot-codec.ts";
import type { RewardDefinition } from "./definition.ts";
import type { RewardContext } from "./machine.ts";

/** What redemptions have left of a reward. */
export type Availability = {
  /** Null while no cooldown runs. */
  cooldownEndsAt: Date | null;
  /** How often it can still be redeemed in this broadcast; null without a limit. */
  left: number | null;
};

/** Read from the rewards' own snapshots: what counts redemptions isn't written a second time with each of them. */
export function availabilityIn(db: Db, definition: RewardDefinition) {
  const snapshots = snapshotsIn(db);
  const broadcasts = broadcastsIn(db);

  /** Null while its snapshot can't be read, as after a downgrade: then redeeming it is refused too. */
  async function contextOf(rewardId: string): Promise<RewardContext | null> {
    const doc = await snapshots.find(`${definition.name}:${rewardId}`);
    try {
      return doc && restore(definition, doc).context;
    } catch (err) {
      if (err instanceof UnreadableSnapshot) return null;
      throw err;
    }
  }

  return async function availabilityOf(
    { _id, streamId, cooldownSeconds, maxPerStream }: RewardDoc,
    now: number,
  ): Promise<Availability> {
    const isLimited = Boolean(cooldownSeconds) || maxPerStream !== null;
    const [context, broadcast] = await Promise.all([
      isLimited ? contextOf(_id) : null,
      maxPerStream === null ? null : broadcasts.lastOf(streamId),
    ]);
    if (!context) return { cooldownEndsAt: null, left: maxPerStream };
    const { redeemedAt, counted } = context;
    const readyAt = redeemedAt === null ? 0 : redeemedAt + (cooldownSeconds ?? 0) * 1_000;
    const since = broadcast?.startedAt.getTime() ?? null;
    const redemptions = counted.since === since ? counted.redemptions : 0;
    return {
      cooldownEndsAt: readyAt > now ? new Date(readyAt) : null,
      left: maxPerStream === null ? null : Math.max(0, maxPerStream - redemptions),
    };
  };
}
