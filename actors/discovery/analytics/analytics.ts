import type { Clock } from "../../../base/clock.ts";
import { nullIfUnavailable } from "../../../base/failures/unavailable.ts";
import type { Log } from "../../../base/log.ts";
import type { Meter } from "../../../base/metrics.ts";
import type { CreatorAnalytics } from "../../../contract/wire.ts";
import { activityMarksIn } from "../../../store/mongo/channels/activity-marks.ts";
import { hourOf } from "../../../store/mongo/channels/rollup-times.ts";
import { type Activity, channelActivityIn, sumOf } from "../../../store/mongo/discovery/channel-activity.ts";
import { channelDaysIn, type DayViewing } from "../../../store/mongo/discovery/channel-days.ts";
import { runBackfill } from "../../../store/mongo/discovery/rollup-check.ts";
import { hoursOfDay, rollupsIn } from "../../../store/mongo/discovery/rollups.ts";
import { viewershipHoursIn } from "../../../store/mongo/discovery/viewership-hours.ts";
import { type Viewing, viewingOf } from "../../../store/mongo/discovery/viewing.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { videosIn } from "../../../store/mongo/live/videos.ts";
import { subscriptionsIn, type Tier } from "../../../store/mongo/monetization/subscriptions.ts";
import { tipsIn } from "../../../store/mongo/monetization/tips.ts";
import { ANALYTICS_METRICS } from "./metrics.ts";
import { beginOf, type Parts, type Period, partsOf } from "./period.ts";
import { createViewership } from "./viewership.ts";

type Deps = Omit<Parameters<typeof createViewership>[0], "metrics"> & {
  paymentSettings: { prices: { tierCents: Readonly<Record<Tier, number>> } };
  clock: Clock;
  meter: Meter;
  log: Log;
};

const TIERS: readonly Tier[] = [1, 2, 3];
const TOP = 10;

export type Analytics = ReturnType<typeof createAnalytics>;

/** The analytics of a creator's channel for a period that ends now: docs/analytics.md. */
export function createAnalytics({ mongo, clock, paymentSettings, meter, ...deps }: Deps) {
  const { db } = mongo;
  const { tierCents } = paymentSettings.prices;
  const metrics = meter.record(ANALYTICS_METRICS);
  const marks = activityMarksIn(db);
  const days = channelDaysIn(db);
  const activity = channelActivityIn(db);
  const hours = viewershipHoursIn(db);
  const subscriptions = subscriptionsIn(db);
  const tips = tipsIn(db);
  const videos = videosIn(db);
  const viewership = createViewership({ ...deps, mongo, clock, metrics });

  /** Activity from the hourly rollups; hours that aren't rolled up are scanned from the source collections. */
  async function hoursAndScans(userId: string, { open, isRolled, scanned }: Parts): Promise<Activity[]> {
    const [rolled, ...found] = await Promise.all([
      days.hoursOf(userId, open),
      ...scanned.map((range) => activity.byHour(userId, range)),
    ]);
    return [
      ...rolled.filter(({ hour }) => isRolled(hour)),
      ...found.flatMap((byHour) => [...byHour.values()]),
    ];
  }

  /** Null while viewership is unknown. */
  const viewedIn = (userId: string, from: Date, { open }: Parts, closed: Promise<DayViewing[]>) =>
    nullIfUnavailable(async (): Promise<Viewing | null> => {
      const [isKnown, inHours, inDays] = await Promise.all([
        viewership.isKnown(),
        hours.ofHours(userId, open.flatMap(hoursOfDay)),
        closed,
      ]);
      return isKnown ? viewingOf(from, inDays, inHours) : null;
    });

  async function rolledUp(userId: string, from: Date, now: Date) {
    // Read the marks first: activity written from now on hasn't been rolled up yet, or its hour is marked.
    const marked = await marks.since(userId, hourOf(from));
    const parts = partsOf(from, now, marked);
    const closed = days.closed(userId, parts);
    const [whole, single, viewing] = await Promise.all([
      closed,
      hoursAndScans(userId, parts),
      viewedIn(userId, from, parts, closed),
    ]);
    return { activity: sumOf([...whole, ...single]), viewing };
  }

  async function subscribed(userId: string, from: Date) {
    const [byTier, started, cancelled] = await Promise.all([
      subscriptions.activeByTier(userId),
      subscriptions.startedSince(userId, from),
      subscriptions.cancelledSince(userId, from),
    ]);
    const active = [...byTier.values()].reduce((sum, count) => sum + count, 0);
    const base = active + cancelled;
    return {
      byTier: TIERS.map((tier) => {
        const count = byTier.get(tier) ?? 0;
        return { tier, active_count: count, revenue_cents: tierCents[tier] * count };
      }),
      subscriptions: {
        active,
        new_in_period: started,
        cancelled_in_period: cancelled,
        churn_rate: base === 0 ? 0 : cancelled / base,
      },
    };
  }

  return {
    /** Throws `unavailable` without MongoDB. */
    async ofCreator(userId: string, period: Period): Promise<CreatorAnalytics> {
      const now = new Date(clock.now());
      const from = beginOf(period, now);
      const [{ activity, viewing }, { byTier, subscriptions }, tipCents, recorded] = await Promise.all([
        rolledUp(userId, from, now),
        subscribed(userId, from),
        tips.centsSince(userId, from),
        videos.totalsOf(userId),
      ]);
      const subscriptionCents = byTier.reduce((sum, { revenue_cents }) => sum + revenue_cents, 0);
      return {
        period,
        revenue: {
          subscription_cents: subscriptionCents,
          tip_cents: tipCents,
          total_cents: subscriptionCents + tipCents,
          by_tier: byTier,
        },
        subscriptions,
        points: {
          earned: activity.earned,
          spent: activity.spent,
          top_redemptions: activity.redeemed
            .slice(0, TOP)
            .map(({ title, count }) => ({ reward_title: title, count })),
        },
        follows: { gained: activity.gained, lost: activity.lost, net: activity.gained - activity.lost },
        videos: { total_views: recorded.views, count: recorded.count },
        viewership: viewershipView(viewing),
      };
    },

    /** Samples the viewers, once a minute however often it is called. */
    look: viewership.look,

    /** Rolls up hours that have settled, and some that an update left. `db` may belong to a maintenance connection. */
    async count(db: Mongo["db"], mayGoOn: () => boolean = () => true): Promise<void> {
      try {
        metrics.hours(await rollupsIn(db).count(mayGoOn));
      } finally {
        metrics.hours(await runBackfill(db, new Date(clock.now())));
      }
    },
  };
}

const viewershipView = (viewing: Viewing | null): CreatorAnalytics["viewership"] => ({
  peak_viewers: viewing?.peakViewers ?? 0,
  unique_viewers: viewing?.uniqueViewers ?? 0,
  watch_time_minutes: viewing?.watchedMinutes ?? 0,
  source: viewing === null ? "unavailable" : "mongodb",
});
