import { DAY_MS } from "../../../base/durations.ts";
import type { CreatorAnalytics } from "../../../contract/wire.ts";
import { dayOf } from "../../../store/mongo/channels/rollup-times.ts";
import type { Activity } from "../../../store/mongo/discovery/channel-activity.ts";
import type { DayViewing } from "../../../store/mongo/discovery/channel-days.ts";

type CreatorDay = CreatorAnalytics["days"][number];
/** By Unix ms of the day's beginning. */
type ByDay<Value> = ReadonlyMap<number, Value>;

/** Figures of single days; days without any are absent. */
type DayFigures = {
  /** Of hours or days, each with a time within its day. */
  activity: readonly (Activity & { at: Date })[];
  /** Null while viewership is unknown. */
  viewing: ByDay<Pick<DayViewing, "peakViewers" | "watchedMinutes">> | null;
  started: ByDay<number>;
  tipCents: ByDay<number>;
};

/** Every day of a period, oldest first. */
export function daysOf(from: Date, until: Date, figures: DayFigures): CreatorDay[] {
  const days = new Map<number, CreatorDay>();
  for (let at = dayOf(from).getTime(); at <= until.getTime(); at += DAY_MS)
    days.set(at, dayView(at, figures));
  for (const { at, earned, spent, gained, lost } of figures.activity) {
    const day = days.get(dayOf(at).getTime());
    if (!day) continue;
    day.points_earned += earned;
    day.points_spent += spent;
    day.follows_gained += gained;
    day.follows_lost += lost;
  }
  return [...days.values()];
}

function dayView(at: number, { viewing, started, tipCents }: DayFigures): CreatorDay {
  const viewed = viewing?.get(at);
  return {
    day: new Date(at).toISOString().slice(0, "2026-01-31".length),
    peak_viewers: viewed?.peakViewers ?? 0,
    watch_time_minutes: viewed?.watchedMinutes ?? 0,
    follows_gained: 0,
    follows_lost: 0,
    new_subscriptions: started.get(at) ?? 0,
    tip_cents: tipCents.get(at) ?? 0,
    points_earned: 0,
    points_spent: 0,
  };
}
