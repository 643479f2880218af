import { formatMoney, plainMoney } from "../../formats/money.ts";
import { formatNumber, formatPercent } from "../../formats/numbers.ts";
import type { Schemas } from "../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

export type Analytics = Schemas["CreatorAnalytics"];
type Names = (typeof CONSOLE_TEXTS)["analytics"]["names"];
type Parts = (typeof CONSOLE_TEXTS)["analytics"]["parts"];

export type Figure = {
  name: keyof Names;
  part: keyof Parts;
  /** Null while it isn't known. */
  now: number | null;
  /** Of the period before; null if it isn't known, undefined for what is only known of now. */
  before?: number | null;
  format: (value: number) => string;
  /** As a file has it. */
  plain: (value: number) => number | string;
};

const same = (value: number): number => value;
const COUNT = { format: (value: number) => formatNumber(value), plain: same };
const SHARE = { format: (value: number) => formatPercent(value), plain: same };

/** All figures of the page, in their order. */
export function figuresOf({
  currency,
  revenue,
  subscriptions,
  points,
  follows,
  videos,
  viewership,
  previous,
}: Analytics): Figure[] {
  const money = {
    format: (cents: number) => formatMoney(cents, currency),
    plain: (cents: number) => Number(plainMoney(cents, currency)),
  };
  const seen = (name: "peak_viewers" | "unique_viewers" | "watch_time_minutes") => ({
    now: viewership.source === "unavailable" ? null : viewership[name],
    before:
      previous === null || previous.viewership.source === "unavailable" ? null : previous.viewership[name],
  });
  return [
    { name: "peakViewers", part: "audience", ...seen("peak_viewers"), ...COUNT },
    { name: "uniqueViewers", part: "audience", ...seen("unique_viewers"), ...COUNT },
    { name: "watchedMinutes", part: "audience", ...seen("watch_time_minutes"), ...COUNT },
    ...(["gained", "lost", "net"] as const).map((name) => ({
      name,
      part: "follows" as const,
      now: follows[name],
      before: previous?.follows[name] ?? null,
      ...COUNT,
    })),
    {
      name: "tips",
      part: "revenue",
      now: revenue.tip_cents,
      before: previous?.revenue.tip_cents ?? null,
      ...money,
    },
    {
      name: "newSubscriptions",
      part: "revenue",
      now: subscriptions.new_in_period,
      before: previous?.subscriptions.new_in_period ?? null,
      ...COUNT,
    },
    {
      name: "cancelledSubscriptions",
      part: "revenue",
      now: subscriptions.cancelled_in_period,
      before: previous?.subscriptions.cancelled_in_period ?? null,
      ...COUNT,
    },
    { name: "activeSubscriptions", part: "revenue", now: subscriptions.active, ...COUNT },
    { name: "subscriptionRevenue", part: "revenue", now: revenue.subscription_cents, ...money },
    { name: "churn", part: "revenue", now: subscriptions.churn_rate, ...SHARE },
    ...(["earned", "spent"] as const).map((name) => ({
      name,
      part: "points" as const,
      now: points[name],
      before: previous?.points[name] ?? null,
      ...COUNT,
    })),
    { name: "videos", part: "videos", now: videos.count, ...COUNT },
    { name: "views", part: "videos", now: videos.total_views, ...COUNT },
  ];
}

/** By how much it has changed: "+12 (+20%)". */
export function changeOf({ now, before, format }: Figure): string {
  const { analytics } = CONSOLE_TEXTS;
  if (before === undefined) return analytics.isNow;
  if (now === null || before === null) return analytics.unknown;
  const by = now - before;
  if (by === 0) return analytics.same;
  const signed = `${by > 0 ? "+" : "−"}${format(Math.abs(by))}`;
  return before === 0 ? signed : `${signed} (${formatPercent(by / Math.abs(before), true)})`;
}

/** Whether anything has happened that the figures count. */
export const isEmpty = (figures: readonly Figure[]): boolean =>
  figures.every(({ now }) => now === null || now === 0);
