import type { Clock } from "../../../base/clock.ts";
import { nullIfUnavailable } from "../../../base/failures/unavailable.ts";
import type { Log } from "../../../base/log.ts";
import type { Meter } from "../../../base/metrics.ts";
import type { CreatorAnalytics } from "../../../contract/wire.ts";
import { activityMarksIn } from "../../../store/mongo/channels/activity-marks.ts";
import { hourOf, type TimeRange } from "../../../store/mongo/channels/rollup-times.ts";
import { channelActivityIn, sumOf } from "../../../store/mongo/discovery/channel-activity.ts";
import { channelDaysIn, type DayViewing } from "../../../store/mongo/discovery/channel-days.ts";
import { knownSinceIn } from "../../../store/mongo/discovery/known-since.ts";
import { runBackfill } from "../../../store/mongo/discovery/rollup-check.ts";
import { hoursOfDay, rollupsIn } from "../../../store/mongo/discovery/rollups.ts";
import { viewershipHoursIn } from "../../../store/mongo/discovery/viewership-hours.ts";
import { type Viewing, viewingByDay, viewingOf } from "../../../store/mongo/discovery/viewing.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { videosIn } from "../../../store/mongo/live/videos.ts";
import { subscriptionsIn, type Tier } from "../../../store/mongo/monetization/subscriptions.ts";
import { tipsIn } from "../../../store/mongo/monetization/tips.ts";
import { createChatMinutes } from "./chat-minutes.ts";
import { daysOf } from "./days.ts";
import { ANALYTICS_METRICS } from "./metrics.ts";
import { beginOf, type Parts, type Period, partsOf } from "./period.ts";
import { createViewership } from "./viewership.ts";

type Deps = Omit<Parameters<typeof createViewership>[0], "metrics"> & {
  streams: Parameters<typeof createChatMinutes>[0]["streams"];
  paymentSettings: { prices: { currency: string; tierCents: Readonly<Record<Tier, number>> } };
  clock: Clock;
  meter: Meter;
  log: Log;
};

const TIERS: readonly Tier[] = [1, 2, 3];
const TOP = 10;

export type Analytics = ReturnType<typeof createAnalytics>;

type ClosedDay = DayViewing & { day: Date };

/** The analytics of a creator's channel for a period that ends now: docs/analytics.md. */
export function createAnalytics({ mongo, clock, paymentSettings, meter, ...deps }: Deps) {
  const { db } = mongo;
  const { currency, tierCents } = paymentSettings.prices;
  const metrics = meter.record(ANALYTICS_METRICS);
  const marks = activityMarksIn(db);
  const days = channelDaysIn(db);
  const activity = channelActivityIn(db);
  const hours = viewershipHoursIn(db);
  const subscriptions = subscriptionsIn(db);
  const tips = tipsIn(db);
  const videos = videosIn(db);
  const knownSince = knownSinceIn(db);
  const viewership = createViewership({ ...deps, mongo, clock, metrics });
  const chatMinutes = createChatMinutes({ ...deps, mongo, clock });

  /** Activity from the hourly rollups; hours that aren't rolled up are scanned from the source collections. */
  async function hoursAndScans(userId: string, { open, isRolled, scanned }: Parts) {
    const [rolled, ...found] = await Promise.all([
      days.hoursOf(userId, open),
      ...scanned.map((range) => activity.byHour(userId, range)),
    ]);
    return [
      ...rolled.filter(({ hour }) => isRolled(hour)).map(({ hour: at, ...own }) => ({ at, ...own })),
      ...found.flatMap((byHour) => [...byHour].map(([at, own]) => ({ at: new Date(at), ...own }))),
    ];
  }

  /** Null while viewership is unknown. */
  const viewedIn = (userId: string, range: TimeRange, { open }: Parts, closed: Promise<ClosedDay[]>) =>
    nullIfUnavailable(async () => {
      const [isKnown, inHours, inDays] = await Promise.all([
        viewership.isKnown(),
        hours.ofHours(userId, open.flatMap(hoursOfDay)),
        closed,
      ]);
      if (!isKnown) return null;
      const whole = inDays.map((day) => [day.day.getTime(), day] as const);
      return {
        total: viewingOf(range, inDays, inHours),
        byDay: new Map([...whole, ...viewingByDay(range, inHours)]),
      };
    });

  async function rolledUp(userId: string, range: TimeRange, now: Date) {
    // Read the marks first: activity written from now on hasn't been rolled up yet, or its hour is marked.
    const marked = await marks.since(userId, hourOf(range.from));
    const parts = partsOf(range, now, marked);
    const closed = days.closed(userId, parts);
    const [whole, single, viewing] = await Promise.all([
      closed,
      hoursAndScans(userId, parts),
      viewedIn(userId, range, parts, closed),
    ]);
    const each = [...whole.map(({ day: at, ...own }) => ({ at, ...own })), ...single];
    return { each, activity: sumOf(each), viewing };
  }

  /** What is known of a period, whether it is over or goes up to now. */
  async function figuresOf(userId: string, range: TimeRange, now: Date) {
    const [{ each, activity: sum, viewing }, started, cancelled, tipCents] = await Promise.all([
      rolledUp(userId, range, now),
      subscriptions.startedByDay(userId, range),
      subscriptions.cancelledIn(userId, range),
      tips.centsByDay(userId, range),
    ]);
    return {
      byDay: { activity: each, viewing: viewing?.byDay ?? null, started, tipCents },
      started: total(started),
      cancelled,
      tipCents: total(tipCents),
      redeemed: sum.redeemed,
      points: { earned: sum.earned, spent: sum.spent },
      follows: { gained: sum.gained, lost: sum.lost, net: sum.gained - sum.lost },
      viewership: viewershipView(viewing?.total ?? null),
    };
  }

  /** As many days before; null if they aren't known any more. */
  async function before(userId: string, period: Period, until: Date, now: Date) {
    const from = beginOf(period, until);
    const known = await knownSince.find();
    if (known && known.since > from) return null;
    const { started, cancelled, tipCents, points, follows, viewership } = await figuresOf(
      userId,
      { from, until },
      now,
    );
    return {
      revenue: { tip_cents: tipCents },
      subscriptions: { new_in_period: started, cancelled_in_period: cancelled },
      points,
      follows,
      viewership,
    };
  }

  /** Per tier, the subscriptions that are active now. */
  async function activeByTier(userId: string) {
    const byTier = await subscriptions.activeByTier(userId);
    return TIERS.map((tier) => {
      const count = byTier.get(tier) ?? 0;
      return { tier, active_count: count, revenue_cents: tierCents[tier] * count };
    });
  }

  return {
    /** Throws `unavailable` without MongoDB. */
    async ofCreator(userId: string, period: Period): Promise<CreatorAnalytics> {
      const now = new Date(clock.now());
      const from = beginOf(period, now);
      const [figures, previous, byTier, recorded] = await Promise.all([
        figuresOf(userId, { from }, now),
        before(userId, period, from, now),
        activeByTier(userId),
        videos.totalsOf(userId),
      ]);
      const { started, cancelled, tipCents, points, follows, viewership } = figures;
      const active = byTier.reduce((sum, { active_count }) => sum + active_count, 0);
      const subscriptionCents = byTier.reduce((sum, { revenue_cents }) => sum + revenue_cents, 0);
      const base = active + cancelled;
      return {
        period,
        currency,
        revenue: {
          subscription_cents: subscriptionCents,
          tip_cents: tipCents,
          total_cents: subscriptionCents + tipCents,
          by_tier: byTier,
        },
        subscriptions: {
          active,
          new_in_period: started,
          cancelled_in_period: cancelled,
          churn_rate: base === 0 ? 0 : cancelled / base,
        },
        points: {
          ...points,
          top_redemptions: figures.redeemed
            .slice(0, TOP)
            .map(({ title, count }) => ({ reward_title: title, count })),
        },
        follows,
        videos: { total_views: recorded.views, count: recorded.count },
        viewership,
        previous,
        days: daysOf(from, now, figures.byDay),
      };
    },

    /** Samples the viewers, once a minute however often it is called. */
    look: viewership.look,

    /** Counts chat messages of running broadcasts by minute. */
    countChat: chatMinutes.count,

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

const total = (byDay: ReadonlyMap<number, number>): number =>
  [...byDay.values()].reduce((sum, value) => sum + value, 0);
