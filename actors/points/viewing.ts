import type { ClientSession, Db } from "mongodb";
import { accountOf } from "../../store/mongo/balances.ts";
import { broadcastsIn } from "../../store/mongo/broadcasts.ts";
import { type ViewingDoc, viewingsIn } from "../../store/mongo/viewings.ts";
import type { Movement } from "./post.ts";

/** For five full minutes of presence while live. */
export const PRESENCE_POINTS = 10;
/** Of them, by a subscriber's tier. */
const PERCENT_BY_TIER = { 1: 120, 2: 140, 3: 200 } as const;
/** For every fifteen minutes of it, to be claimed. */
export const BONUS_POINTS = 50;
const WINDOWS_A_BONUS = 3;
/** For the 2nd, 3rd, 4th broadcast in a row, and for each further one. */
const STREAK_POINTS = [300, 350, 400, 450];
/** A broadcast counts once it is so old: who tries out an encoder ends nobody's streak. */
const COUNTS_FROM_MS = 10 * 60_000;
/** Broadcasts that are looked through for the last that counted. */
const LOOKED_THROUGH = 20;

export type SubscriberTier = keyof typeof PERCENT_BY_TIER;

/** At which tier a user is entitled in a channel now; null for none. */
export type TierOf = (userId: string, channelUserId: string) => Promise<SubscriberTier | null>;

/** Five minutes of presence, completed; `window` is their index in wall time. */
export type Watched = {
  userId: string;
  channelUserId: string;
  streamId: string;
  window: number;
  /** Of the subscription; left out for none. */
  tier?: SubscriberTier | null;
  /** The broadcast that was watched, where it is known; `endedAt` when it is over by now. */
  broadcast?: { id: string; liveSince: Date; endedAt?: Date | null } | null;
};

export const presenceKey = ({ userId, streamId, window }: Watched) =>
  `presence:${userId}:${streamId}:${window}`;

/** Rounded down. */
const presencePoints = (tier: SubscriberTier | null): number =>
  tier === null ? PRESENCE_POINTS : Math.floor((PRESENCE_POINTS * PERCENT_BY_TIER[tier]) / 100);

const streakPoints = (streak: number): number =>
  streak < 2 ? 0 : (STREAK_POINTS[Math.min(streak - 2, STREAK_POINTS.length - 1)] ?? 0);

/** What watching brings, counted in the transaction that pays it. */
export function createViewing(db: Db) {
  const viewings = viewingsIn(db);
  const broadcasts = broadcastsIn(db);

  /** Null where the broadcast doesn't count, or did before. */
  async function streakOf(
    { broadcast, streamId }: Watched,
    before: ViewingDoc,
    at: Date,
    session: ClientSession,
  ): Promise<{ broadcastId: string; streak: number } | null> {
    if (!broadcast || broadcast.id === before.broadcastId) return null;
    const until = broadcast.endedAt ?? at;
    if (until.getTime() - broadcast.liveSince.getTime() < COUNTS_FROM_MS) return null;
    const earlier = await broadcasts.earlierThan(streamId, broadcast.liveSince, LOOKED_THROUGH, session);
    const last = earlier.find(
      ({ startedAt, endedAt }) => (endedAt?.getTime() ?? 0) - startedAt.getTime() >= COUNTS_FROM_MS,
    );
    const goesOn = last !== undefined && last._id === before.broadcastId;
    return { broadcastId: broadcast.id, streak: goesOn ? before.streak + 1 : 1 };
  }

  return {
    /** Counts a window that wasn't counted before; what it brings, and whether a bonus waits from now on. */
    async count(watched: Watched, at: Date, session: ClientSession) {
      const { userId, channelUserId, streamId } = watched;
      const before = (await viewings.find(userId, channelUserId, session)) ?? newViewing(watched);
      const streak = await streakOf(watched, before, at, session);
      const windows = before.isBonusWaiting ? 0 : before.windows + 1;
      const bonusWaits = windows >= WINDOWS_A_BONUS;
      await viewings.put(
        {
          ...before,
          ...streak,
          windows: bonusWaits ? 0 : windows,
          isBonusWaiting: before.isBonusWaiting || bonusWaits,
          bonuses: before.bonuses + (bonusWaits ? 1 : 0),
        },
        session,
      );
      const account = { userId, channelUserId };
      const movements: Movement[] = [
        {
          ...account,
          key: presenceKey(watched),
          delta: presencePoints(watched.tier ?? null),
          reason: "presence",
          ref: streamId,
        },
      ];
      const delta = streak ? streakPoints(streak.streak) : 0;
      if (streak && delta > 0) {
        const { broadcastId: ref } = streak;
        movements.push({ ...account, key: `streak:${userId}:${ref}`, delta, reason: "streak", ref });
      }
      return { movements, bonusWaits };
    },

    /** Null when none waits. */
    async takeBonus(userId: string, channelUserId: string, session: ClientSession): Promise<Movement | null> {
      const taken = await viewings.takeBonus(userId, channelUserId, session);
      if (!taken) return null;
      const key = `bonus:${userId}:${channelUserId}:${taken.bonuses}`;
      return { key, userId, channelUserId, delta: BONUS_POINTS, reason: "bonus", ref: null };
    },

    /** What waits to be claimed by this user, by channel; channels without are left out. */
    async claimable(userId: string, channelUserIds: string[]): Promise<Map<string, number>> {
      const waiting = new Set(
        (await viewings.ofChannels(userId, channelUserIds))
          .filter(({ isBonusWaiting }) => isBonusWaiting)
          .map(({ _id }) => _id),
      );
      const of = channelUserIds.filter((id) => waiting.has(accountOf(userId, id)));
      return new Map(of.map((id) => [id, BONUS_POINTS]));
    },
  };
}

const newViewing = ({ userId, channelUserId }: Watched): ViewingDoc => ({
  _id: accountOf(userId, channelUserId),
  windows: 0,
  isBonusWaiting: false,
  bonuses: 0,
  broadcastId: null,
  streak: 0,
});
