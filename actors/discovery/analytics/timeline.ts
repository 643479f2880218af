/** A broadcast minute by minute, as it runs and afterwards. */
import type { Clock } from "../../../base/clock.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../base/durations.ts";
import type { StreamTimeline, StreamTimelinePoint } from "../../../contract/wire.ts";
import type { TimeRange } from "../../../store/mongo/channels/rollup-times.ts";
import { hourOf } from "../../../store/mongo/channels/rollup-times.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { minuteSumsIn } from "../../../store/mongo/discovery/minute-sums.ts";
import { sampledMinutesIn } from "../../../store/mongo/discovery/sampled-minutes.ts";
import { viewershipHoursIn } from "../../../store/mongo/discovery/viewership-hours.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { chatMinutesIn } from "../../../store/mongo/live/chat-minutes.ts";

/** A longer broadcast has a point every two minutes. */
const FINE_MS = DAY_MS;
/** The last part of a broadcast that is shown. */
const LONGEST_MS = 2 * DAY_MS;

type Deps = { mongo: Mongo; clock: Clock; paymentSettings: { prices: { currency: string } } };
type Span = { from: number; until: number; stepMs: number };

export function createTimeline({ mongo, clock, paymentSettings: { prices } }: Deps) {
  const { db } = mongo;
  const broadcasts = broadcastsIn(db);
  const sums = minuteSumsIn(db);
  const hours = viewershipHoursIn(db);
  const chatMinutes = chatMinutesIn(db);
  const sampled = sampledMinutesIn(db);

  /** Viewers by minute; minutes that weren't sampled are absent. */
  async function viewersIn(userId: string, { from, until }: Span): Promise<Map<number, number>> {
    const first = hourOf(new Date(from)).getTime();
    const all = Array.from(
      { length: Math.ceil((until - first) / HOUR_MS) },
      (_, hour) => new Date(first + hour * HOUR_MS),
    );
    const [docs, looks] = await Promise.all([hours.ofHours(userId, all), sampled.ofHours(all)]);
    const counts = new Map<number, number>();
    // A minute without viewers is stored for no channel.
    for (const { hour, minutes } of looks)
      for (const minute of minutes) counts.set(hour.getTime() + minute * MINUTE_MS, 0);
    for (const { hour, minutes } of docs)
      for (const [minute, count] of Object.entries(minutes))
        counts.set(hour.getTime() + Number(minute) * MINUTE_MS, count);
    return counts;
  }

  /** From the counts of `countChat`, and from the archive what isn't counted yet. */
  async function messagesIn(broadcastId: string, streamId: string, range: Required<TimeRange>) {
    const counted = await chatMinutes.find(broadcastId);
    const known = new Map<number, number>();
    const until = counted?.until.getTime() ?? 0;
    for (const [place, count] of (counted?.messages ?? []).entries())
      known.set(until - ((counted?.messages.length ?? 0) - place) * MINUTE_MS, count);
    const from = new Date(Math.max(range.from.getTime(), until));
    const rest =
      from < range.until
        ? await sums.messages(streamId, { from, until: range.until })
        : new Map<number, number>();
    return new Map([...known, ...rest]);
  }

  return {
    /** The running broadcast, or else the last one. */
    async of({ _id: streamId, userId }: StreamDoc): Promise<StreamTimeline> {
      const broadcast = await broadcasts.lastOf(streamId);
      const { currency } = prices;
      if (!broadcast) return { started_at: null, ended_at: null, interval_seconds: 60, currency, points: [] };
      const { startedAt, endedAt } = broadcast;
      const span = spanOf(startedAt.getTime(), (endedAt ?? new Date(clock.now())).getTime());
      const range = { from: new Date(span.from), until: new Date(span.until) };
      const [viewers, messages, follows, subscriptions, tipCents] = await Promise.all([
        viewersIn(userId, span),
        messagesIn(broadcast._id, streamId, range),
        sums.follows(userId, range),
        sums.subscriptions(userId, range),
        sums.tipCents(userId, range),
      ]);
      return {
        started_at: startedAt.toISOString(),
        ended_at: endedAt?.toISOString() ?? null,
        interval_seconds: span.stepMs === MINUTE_MS ? 60 : 120,
        currency,
        points: pointsOf(span, { viewers, messages, follows, subscriptions, tipCents }),
      };
    },
  };
}

/** Whole minutes, from the one in which it began; in steps that don't move while it goes on. */
function spanOf(startedAt: number, endsAt: number): Span {
  const stepMs = endsAt - startedAt > FINE_MS ? 2 * MINUTE_MS : MINUTE_MS;
  const begin = Math.max(startedAt, endsAt - LONGEST_MS);
  return {
    from: Math.floor(begin / stepMs) * stepMs,
    until: (Math.floor(endsAt / MINUTE_MS) + 1) * MINUTE_MS,
    stepMs,
  };
}

type ByMinute = Record<
  "viewers" | "messages" | "follows" | "subscriptions" | "tipCents",
  ReadonlyMap<number, number>
>;

function pointsOf({ from, until, stepMs }: Span, by: ByMinute): StreamTimelinePoint[] {
  const points: StreamTimelinePoint[] = [];
  for (let at = from; at < until; at += stepMs) {
    const minutes = Array.from({ length: stepMs / MINUTE_MS }, (_, minute) => at + minute * MINUTE_MS);
    const valuesOf = (counts: ReadonlyMap<number, number>) =>
      minutes.flatMap((minute) => counts.get(minute) ?? []);
    const sum = (counts: ReadonlyMap<number, number>) =>
      valuesOf(counts).reduce((all, count) => all + count, 0);
    const viewers = valuesOf(by.viewers);
    points.push({
      at: new Date(at).toISOString(),
      viewers: viewers.length === 0 ? null : Math.max(...viewers),
      messages: sum(by.messages),
      follows: sum(by.follows),
      subscriptions: sum(by.subscriptions),
      tip_cents: sum(by.tipCents),
    });
  }
  return points;
}
