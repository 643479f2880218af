/**
 * Hourly and daily rollups of channels, made from recorded activity. An hour is counted when nobody has written in it for a while
 * (store/mongo/channels/activity-marks.ts), again each time that happens: its sums are replaced, never added to, so that nothing counts
 * twice however many workers run and crash.
 */

import type { Db } from "mongodb";
import { DAY_MS, HOUR_MS } from "../../../base/durations.ts";
import { isMongoUnavailable } from "../../../base/failures/mongo.ts";
import { type ActivityMarkDoc, activityMarksIn, SETTLED_MS } from "../channels/activity-marks.ts";
import { dayOf, type TimeRange } from "../channels/rollup-times.ts";
import { inTransaction } from "../driver/transaction.ts";
import { type Activity, channelActivityIn, emptyActivity, sumOf } from "./channel-activity.ts";
import { type ChannelDayDoc, channelDaysIn, type DayViewing, dayIdOf } from "./channel-days.ts";
import { viewershipHoursIn } from "./viewership-hours.ts";
import { viewingOfDay } from "./viewing.ts";

/** Marks per batch. */
const BATCH_SIZE = 500;

/** The period that is compared with the rollups at once. */
const COMPARED_MS = 7 * DAY_MS;

const endOf = (at: Date): number => Math.ceil(at.getTime() / DAY_MS) * DAY_MS;

const daysIn = ({ from, until }: Required<TimeRange>): Date[] =>
  Array.from(
    { length: Math.ceil((until.getTime() - from.getTime()) / DAY_MS) },
    (_, day) => new Date(from.getTime() + day * DAY_MS),
  );

export const hoursOfDay = (day: Date): Date[] =>
  Array.from({ length: 24 }, (_, hour) => new Date(day.getTime() + hour * HOUR_MS));

/** `db` may be a maintenance connection: an hour of a large channel takes longer than requests may wait. */
export function rollupsIn(db: Db) {
  const marks = activityMarksIn(db);
  const activity = channelActivityIn(db);
  const days = channelDaysIn(db);
  const viewership = viewershipHoursIn(db);

  /** Recounts the hours of one day whose marks are unchanged since they were read; returns how many. */
  async function countHours(channelUserId: string, day: Date, read: ActivityMarkDoc[]): Promise<number> {
    const times = read.map(({ hour }) => hour.getTime());
    const range = {
      from: new Date(Math.min(...times)),
      until: new Date(Math.max(...times) + HOUR_MS),
    };
    const [found, hours] = await Promise.all([
      activity.byHour(channelUserId, range),
      viewership.ofHours(channelUserId, hoursOfDay(day)),
    ]);
    return inTransaction(db.client, async (session) => {
      const taken = await marks.take(read, session);
      if (taken.length === 0) return 0;
      const before = await days.find(channelUserId, day, session);
      const counted = new Set(taken.map(({ hour }) => hour.getTime()));
      const kept = (before?.hours ?? []).filter(({ hour }) => !counted.has(hour.getTime()));
      const fresh = taken.flatMap(({ hour }) => {
        const own = found.get(hour.getTime());
        return own ? [{ hour, ...own }] : [];
      });
      const all = [...kept, ...fresh].sort((a, b) => a.hour.getTime() - b.hour.getTime());
      const doc: ChannelDayDoc = {
        _id: dayIdOf(channelUserId, day),
        channelUserId,
        day,
        ...sumOf(all),
        ...viewingOfDay(hours),
        hours: all,
      };
      await days.put(doc, session);
      return taken.length;
    });
  }

  /** Hours, by day, whose rollups differ from the recorded activity. The range consists of whole days. */
  async function differingIn(channelUserId: string, range: Required<TimeRange>): Promise<[Date, Date[]][]> {
    const times = daysIn(range);
    const [written, docs, viewed] = await Promise.all([
      activity.byHour(channelUserId, range),
      days.ofDays(channelUserId, times),
      viewership.ofHours(channelUserId, times.flatMap(hoursOfDay)),
    ]);
    const known = new Map(docs.map((doc) => [doc.day.getTime(), doc]));
    return times.flatMap((day): [Date, Date[]][] => {
      const doc = known.get(day.getTime());
      const rolled = new Map((doc?.hours ?? []).map((own) => [own.hour.getTime(), own]));
      const differs = hoursOfDay(day).filter(
        (hour) => !isSame(written.get(hour.getTime()), rolled.get(hour.getTime())),
      );
      const looks = viewed.filter(({ hour }) => dayOf(hour).getTime() === day.getTime());
      const [first] = looks;
      // Recounting any of its hours recounts the day's viewers.
      if (differs.length === 0 && first && !isSameViewing(viewingOfDay(looks), doc)) differs.push(first.hour);
      return differs.length === 0 ? [] : [[day, differs]];
    });
  }

  return {
    /**
     * Counts settled hours, longest settled first; returns how many. Goes on while `mayGoOn`. An hour that fails doesn't keep the
     * others from being counted; afterwards it rejects with the first failure.
     */
    async count(mayGoOn: () => boolean, settledMs = SETTLED_MS): Promise<number> {
      let counted = 0;
      const failures: unknown[] = [];
      for (let goesOn = true; goesOn; ) {
        const settled = await marks.settled(BATCH_SIZE, settledMs);
        let done = 0;
        for (const read of byDay(settled)) {
          if (!mayGoOn()) return counted;
          const [{ channelUserId, hour }] = read;
          try {
            done += await countHours(channelUserId, dayOf(hour), read);
          } catch (err) {
            if (isMongoUnavailable(err)) throw err;
            failures.push(err);
          }
        }
        counted += done;
        // Hours that were touched in the meantime, or counted by another worker, aren't retried at once.
        goesOn = settled.length === BATCH_SIZE && done > 0;
      }
      if (failures.length > 0) throw failures[0];
      return counted;
    },

    /**
     * Compares a channel's days with the recorded activity, and recounts hours that differ; returns how many. Hours in which
     * somebody is writing are left to `count`.
     */
    async recount(channelUserId: string, from: Date, until: Date): Promise<number> {
      let differing = 0;
      for (let at = dayOf(from).getTime(); at < until.getTime(); at += COMPARED_MS) {
        const range = { from: new Date(at), until: new Date(Math.min(at + COMPARED_MS, endOf(until))) };
        for (const [day, hours] of await differingIn(channelUserId, range)) {
          const free = await marks.markSettled(channelUserId, hours);
          if (free.length > 0) differing += await countHours(channelUserId, day, free);
        }
      }
      return differing;
    },
  };
}

/** Groups marks by channel and day. */
function byDay(settled: readonly ActivityMarkDoc[]): [ActivityMarkDoc, ...ActivityMarkDoc[]][] {
  const lists = new Map<string, [ActivityMarkDoc, ...ActivityMarkDoc[]]>();
  for (const mark of settled) {
    const key = dayIdOf(mark.channelUserId, dayOf(mark.hour));
    const list = lists.get(key);
    if (list) list.push(mark);
    else lists.set(key, [mark]);
  }
  return [...lists.values()];
}

const isSameViewing = (a: DayViewing, b: DayViewing | undefined): boolean =>
  a.watchedMinutes === (b?.watchedMinutes ?? 0) && a.peakViewers === (b?.peakViewers ?? 0);

const isSame = (a: Activity = emptyActivity(), b: Activity = emptyActivity()): boolean =>
  a.earned === b.earned &&
  a.spent === b.spent &&
  a.gained === b.gained &&
  a.lost === b.lost &&
  a.redeemed.length === b.redeemed.length &&
  a.redeemed.every(({ title, count }, i) => b.redeemed[i]?.title === title && b.redeemed[i]?.count === count);
