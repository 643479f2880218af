/** Activity of a channel as it was recorded: the source of rollups, and what is read where there are no rollups yet. */
import type { Db } from "mongodb";
import { followChangesCollection } from "../channels/follow-changes.ts";
import { rangeFilter, type TimeRange } from "../channels/rollup-times.ts";
import { ledgerCollection } from "../points/ledger.ts";
import { REDEMPTIONS_BY_TIME, redemptionsCollection } from "../points/redemptions.ts";

type TitleCount = { title: string; count: number };

export type Activity = {
  /** Points. */
  earned: number;
  spent: number;
  /** Follows. */
  gained: number;
  lost: number;
  /** Redemptions that weren't refunded, by reward title, most first. */
  redeemed: TitleCount[];
};

/** Titles kept per hour, day or period: twice the number of rewards that a channel may have. */
const MAX_TITLES = 100;

export const emptyActivity = (): Activity => ({ earned: 0, spent: 0, gained: 0, lost: 0, redeemed: [] });

/** The sum over several times. */
export function sumOf(parts: readonly Activity[]): Activity {
  const sum = emptyActivity();
  const counts = new Map<string, number>();
  for (const { earned, spent, gained, lost, redeemed } of parts) {
    sum.earned += earned;
    sum.spent += spent;
    sum.gained += gained;
    sum.lost += lost;
    for (const { title, count } of redeemed) counts.set(title, (counts.get(title) ?? 0) + count);
  }
  sum.redeemed = mostFirst([...counts].map(([title, count]) => ({ title, count })));
  return sum;
}

const mostFirst = (redeemed: TitleCount[]): TitleCount[] =>
  redeemed.sort((a, b) => b.count - a.count || (a.title < b.title ? -1 : 1)).slice(0, MAX_TITLES);

type Moved = { _id: Date; earned: number; spent: number };
type Followed = { _id: Date; gained: number; lost: number };
type Redeemed = { _id: { hour: Date; title: string }; count: number };

const HOUR = { $dateTrunc: { date: "$createdAt", unit: "hour" } } as const;
const NOT_REFUNDED = { $in: ["pending", "fulfilled"] } as const;

export function channelActivityIn(db: Db) {
  const ledger = ledgerCollection.in(db);
  const redemptions = redemptionsCollection.in(db);
  const follows = followChangesCollection.in(db);

  return {
    /** By the start of each hour; hours without activity are left out. Covered by indexes. */
    async byHour(channelUserId: string, range: TimeRange): Promise<Map<number, Activity>> {
      const $match = { channelUserId, createdAt: rangeFilter(range) };
      const sum = (value: object) => ({ $sum: { $max: [value, 0] } });
      const [moved, followed, redeemed] = await Promise.all([
        ledger
          .aggregate<Moved>([
            { $match },
            {
              $group: {
                _id: HOUR,
                earned: { $sum: { $max: ["$delta", 0] } },
                spent: sum({ $multiply: ["$delta", -1] }),
              },
            },
          ])
          .toArray(),
        follows
          .aggregate<Followed>([
            { $match },
            { $group: { _id: HOUR, gained: { $sum: "$gained" }, lost: { $sum: "$lost" } } },
          ])
          .toArray(),
        redemptions
          .aggregate<Redeemed>(
            [
              { $match: { ...$match, status: NOT_REFUNDED } },
              { $group: { _id: { hour: HOUR, title: "$reward.title" }, count: { $sum: 1 } } },
            ],
            { hint: REDEMPTIONS_BY_TIME },
          )
          .toArray(),
      ]);
      const hours = new Map<number, Activity>();
      const at = (hour: Date): Activity => {
        const known = hours.get(hour.getTime()) ?? emptyActivity();
        hours.set(hour.getTime(), known);
        return known;
      };
      for (const { _id, earned, spent } of moved) Object.assign(at(_id), { earned, spent });
      for (const { _id, gained, lost } of followed) Object.assign(at(_id), { gained, lost });
      for (const { _id, count } of redeemed) at(_id.hour).redeemed.push({ title: _id.title, count });
      for (const activity of hours.values()) activity.redeemed = mostFirst(activity.redeemed);
      return hours;
    },
  };
}
