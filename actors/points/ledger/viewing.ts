import type { ClientSession, Db } from "mongodb";
import { MINUTE_MS } from "../../../base/durations.ts";
import { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { type ViewingDoc, viewingsIn } from "../../../store/mongo/live/viewings.ts";
import { accountOf } from "../../../store/mongo/points/balances.ts";
import type { Movement } from "./post.ts";

/** For five full minutes of presence while live. */
export const PRESENCE_POINTS = 10;
/** Percentage of PRESENCE_POINTS by a subscriber's tier. */
const PERCENT_BY_TIER = { 1: 120, 2: 140, 3: 200 } as const;
/** To be claimed, for every fifteen minutes of presence. */
export const BONUS_POINTS = 50;
const WINDOWS_PER_BONUS = 3;
/** For the 2nd, 3rd, 4th broadcast in a row, and for each further one. */
const STREAK_POINTS = [300, 350, 400, 450];
/** A broadcast counts from this duration on, so that a test of an encoder doesn't end anybody's streak. */
const MIN_BROADCAST_MS = 10 * MINUTE_MS;
/** How many earlier broadcasts are searched for the last one that counted. */
const SEARCH_LIMIT = 20;

type SubscriberTier = keyof typeof PERCENT_BY_TIER;

/** The tier that a user is currently entitled to in a channel; null for none. */
export type TierOf = (userId: string, channelUserId: string) => Promise<SubscriberTier | null>;

/** Five completed minutes of presence; `window` is their index in wall-clock time. */
export type Watched = {
  userId: string;
  channelUserId: string;
  streamId: string;
  window: number;
  /** The subscription's tier; null or omitted without one. */
  tier?: SubscriberTier | null;
  /** The watched broadcast, if known; `endedAt` is set when it has ended since. */
  broadcast?: { id: string; liveSince: Date; endedAt?: Date | null } | null;
};

export const presenceKey = ({ userId, streamId, window }: Watched) =>
  `presence:${userId}:${streamId}:${window}`;

/** Rounded down to an integer. */
const presencePoints = (tier: SubscriberTier | null): number =>
  tier === null ? PRESENCE_POINTS : Math.floor((PRESENCE_POINTS * PERCENT_BY_TIER[tier]) / 100);

const streakPoints = (streak: number): number =>
  streak < 2 ? 0 : (STREAK_POINTS[Math.min(streak - 2, STREAK_POINTS.length - 1)] ?? 0);

/** Rewards for watching, counted in the transaction that pays them. */
export function createViewing(db: Db) {
  const viewings = viewingsIn(db);
  const broadcasts = broadcastsIn(db);

  /** Null when the broadcast doesn't count, or was already counted. */
  async function streakOf(
    { broadcast, streamId }: Watched,
    before: ViewingDoc,
    at: Date,
    session: ClientSession,
  ): Promise<{ broadcastId: string; streak: number } | null> {
    if (!broadcast || broadcast.id === before.broadcastId) return null;
    const until = broadcast.endedAt ?? at;
    if (until.getTime() - broadcast.liveSince.getTime() < MIN_BROADCAST_MS) return null;
    const earlier = await broadcasts.earlierThan(streamId, broadcast.liveSince, SEARCH_LIMIT, session);
    const last = earlier.find(
      ({ startedAt, endedAt }) => (endedAt?.getTime() ?? 0) - startedAt.getTime() >= MIN_BROADCAST_MS,
    );
    const goesOn = last !== undefined && last._id === before.broadcastId;
    return { broadcastId: broadcast.id, streak: goesOn ? before.streak + 1 : 1 };
  }

  return {
    /** Counts a new window; returns the movements it earns, and whether it makes a bonus claimable. */
    async count(watched: Watched, at: Date, session: ClientSession) {
      const { userId, channelUserId, streamId } = watched;
      const before = (await viewings.find(userId, channelUserId, session)) ?? newViewing(watched);
      const streak = await streakOf(watched, before, at, session);
      const windows = before.isBonusWaiting ? 0 : before.windows + 1;
      const bonusWaits = windows >= WINDOWS_PER_BONUS;
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

    /** Null when no bonus waits. */
    async takeBonus(userId: string, channelUserId: string, session: ClientSession): Promise<Movement | null> {
      const taken = await viewings.takeBonus(userId, channelUserId, session);
      if (!taken) return null;
      const key = `bonus:${userId}:${channelUserId}:${taken.bonuses}`;
      return { key, userId, channelUserId, delta: BONUS_POINTS, reason: "bonus", ref: null };
    },

    /** The points that this user can claim, by channel; channels without any are omitted. */
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
