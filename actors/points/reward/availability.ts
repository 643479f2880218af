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

  /** Of rewards of one channel, in their order. */
  return async function availabilityOf(rewards: RewardDoc[], now: number): Promise<Availability[]> {
    const counted = rewards.find(({ maxPerStream }) => maxPerStream !== null);
    const broadcast = counted ? await broadcasts.lastOf(counted.streamId) : null;
    const since = broadcast?.startedAt.getTime() ?? null;
    // Their snapshots are read in one query.
    return Promise.all(
      rewards.map(async (reward) => {
        const isLimited = Boolean(reward.cooldownSeconds) || reward.maxPerStream !== null;
        return leftOf(reward, isLimited ? await contextOf(reward._id) : null, { since, now });
      }),
    );
  };
}

/** `since`: when the broadcast to which limits apply began, Unix ms; null before the first one. */
function leftOf(
  { cooldownSeconds, maxPerStream }: RewardDoc,
  context: RewardContext | null,
  { since, now }: { since: number | null; now: number },
): Availability {
  if (!context) return { cooldownEndsAt: null, left: maxPerStream };
  const { redeemedAt, counted } = context;
  const readyAt = redeemedAt === null ? 0 : redeemedAt + (cooldownSeconds ?? 0) * 1_000;
  const redemptions = counted.since === since ? counted.redemptions : 0;
  return {
    cooldownEndsAt: readyAt > now ? new Date(readyAt) : null,
    left: maxPerStream === null ? null : Math.max(0, maxPerStream - redemptions),
  };
}
