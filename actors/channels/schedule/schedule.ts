import type { Clock } from "../../../base/clock.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { Conflict } from "../../../base/failures/conflict.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { NewScheduleEntry, ScheduleEntry, ScheduleEntryUpdate } from "../../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import { MAX_ENTRIES, type ScheduleEntryDoc, scheduleIn } from "../../../store/mongo/channels/schedule.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inRetriedTransaction, retryingConflicts } from "../../../store/mongo/driver/retried-transaction.ts";
import { keyedRequestsIn } from "../../host/keyed-requests.ts";
import type { ChannelCategories } from "../categories.ts";
import { findZone } from "../time-zones/zones.ts";
import { calendarOf } from "./calendar.ts";
import { firstOf, MAX_DURATION_MS, type Occurrence, occurrencesOf, weekdayOf } from "./occurrences.ts";
import { MAX_SHOWN_DAYS } from "./planned-titles.ts";
import { recurrenceOf } from "./recurrence.ts";
import { refused, timeOf } from "./times.ts";

const SHOWN_DAYS = 28;

type Deps = {
  mongo: Mongo;
  categories: Pick<ChannelCategories, "require">;
  publicUrl: string;
  clock: Clock;
};

type Draft = Omit<ScheduleEntryDoc, "_id" | "userId" | "place" | "createdAt" | "changedAt">;

/** When channels plan to be live. */
export function createSchedule({ mongo, categories, publicUrl, clock }: Deps) {
  const entries = scheduleIn(mongo.db);
  const keyed = keyedRequestsIn(mongo.db, clock);
  const now = () => new Date(clock.now());

  return {
    /**
     * A user's schedule between two times, by default from now and for four weeks; at most 92 days. Throws
     * `validation_failed`.
     */
    async list(user: UserWithoutSecrets, range: { from?: string; to?: string }): Promise<ScheduleEntry[]> {
      const from = range.from === undefined ? now() : timeOf(range.from, "/query/from");
      const to =
        range.to === undefined ? new Date(+from + SHOWN_DAYS * DAY_MS) : timeOf(range.to, "/query/to");
      if (to <= from) throw refused("/query/to", "after", "must be after from");
      if (+to - +from > MAX_SHOWN_DAYS * DAY_MS) {
        throw refused("/query/to", "range", `must be within ${MAX_SHOWN_DAYS} days of from`);
      }
      return occurrencesOf(await entries.ofUser(user._id), { from, to }).map(view);
    },

    /** A user's entries, each once, the earliest first. */
    async entries(userId: string): Promise<ScheduleEntry[]> {
      const all = await entries.ofUser(userId);
      return all
        .sort((one, other) => +one.startsAt - +other.startsAt || (one._id < other._id ? -1 : 1))
        .map(entryView);
    },

    /** The whole schedule as iCalendar. */
    async calendar(user: UserWithoutSecrets): Promise<string> {
      const name = user.usernameTitle;
      return calendarOf(await entries.ofUser(user._id), { name, url: `${publicUrl}/${user.username}` });
    },

    /** Throws `limit_reached`, `not_found` for the category, `validation_failed`, `idempotency_conflict`. */
    async add(userId: string, input: NewScheduleEntry, key: string | null): Promise<ScheduleEntry> {
      const draft = draftOf(input, {
        title: input.title,
        categoryId: null,
        startsAt: new Date(0),
        endsAt: null,
        isRecurring: false,
        timeZone: "UTC",
      });
      const request = { by: userId, operation: "schedule.add", key, request: input };
      const doc = await inRetriedTransaction(mongo.client, (session) =>
        keyed.once(request, session, {
          async act(at) {
            await requireCategory(draft.categoryId);
            const place = await entries.freePlace(userId, session);
            if (place === null) throw new ServiceError("limit_reached", { limit: MAX_ENTRIES });
            const made = { _id: newId(), userId, place, ...draft, createdAt: at, changedAt: at };
            await entries.insert(made, session);
            return made;
          },
          answerOf: ({ _id }) => _id,
          again: (id) => entries.find(userId, id, session),
        }),
      );
      return entryView(doc);
    },

    /** Omitted fields stay unchanged. Throws `not_found`, `validation_failed`. */
    async change(userId: string, id: string, input: ScheduleEntryUpdate): Promise<ScheduleEntry> {
      if (input.category_id !== undefined) await requireCategory(input.category_id);
      const doc = await retryingConflicts(async () => {
        const known = await entries.find(userId, id);
        if (!known) throw new ServiceError("not_found");
        // Strictly increasing, even if the clock was set back: it is the optimistic lock for concurrent changes.
        const changedAt = new Date(Math.max(clock.now(), +known.changedAt + 1));
        const changed = { ...known, ...draftOf(input, known), changedAt };
        if (!(await entries.replace(changed, known.changedAt))) throw new Conflict();
        return changed;
      });
      return entryView(doc);
    },

    /** Throws `not_found`. */
    async remove(userId: string, id: string): Promise<void> {
      if (!(await entries.remove(userId, id))) throw new ServiceError("not_found");
    },
  };

  async function requireCategory(id: string | null): Promise<void> {
    if (id !== null) await categories.require(id);
  }
}

/** Throws `validation_failed`. */
function draftOf(input: ScheduleEntryUpdate, before: Draft): Draft {
  const { title, category_id: category, starts_at: start, ends_at: end, time_zone: zone } = input;
  const draft = {
    title: title ?? before.title,
    categoryId: category === undefined ? before.categoryId : category,
    startsAt: start === undefined ? before.startsAt : timeOf(start, "/body/starts_at"),
    endsAt: end === undefined ? before.endsAt : end === null ? null : timeOf(end, "/body/ends_at"),
    isRecurring: input.is_recurring ?? before.isRecurring,
    timeZone: zone ?? before.timeZone,
  };
  const { startsAt, endsAt, timeZone } = draft;
  if (zone !== undefined && !findZone(zone)) {
    throw refused("/body/time_zone", "timeZone", "must be a name of the IANA time zone database");
  }
  if (endsAt && (endsAt <= startsAt || +endsAt - +startsAt > MAX_DURATION_MS)) {
    throw refused("/body/ends_at", "after", "must be after starts_at, by a week at most");
  }
  const weekday = input.recurrence_weekday ?? null;
  if (weekday !== null && weekday !== weekdayOf(startsAt, timeZone)) {
    throw refused("/body/recurrence_weekday", "weekday", "must be that of starts_at in time_zone");
  }
  return { ...draft, ...recurrenceOf(input, draft, before) };
}

const entryView = (entry: ScheduleEntryDoc): ScheduleEntry => view(firstOf(entry));

function view({ entry, startsAt, endsAt, day }: Occurrence): ScheduleEntry {
  // A worker of an earlier release leaves them where it makes a weekly entry a single one.
  const { lastDay = null, pause = null, exceptions = [] } = entry.isRecurring ? entry : {};
  return {
    id: entry._id,
    user_id: entry.userId,
    title: entry.title,
    category_id: entry.categoryId,
    starts_at: startsAt.toISOString(),
    ends_at: endsAt?.toISOString() ?? null,
    is_recurring: entry.isRecurring,
    recurrence_weekday: entry.isRecurring ? new Date(day).getUTCDay() : null,
    recurrence_date: entry.isRecurring ? day : null,
    recurrence_until: lastDay,
    recurrence_pause: pause,
    recurrence_exceptions: exceptions.map(({ day: date, movedTo }) => ({
      date,
      moved_to: movedTo?.toISOString() ?? null,
    })),
    time_zone: entry.timeZone,
    created_at: entry.createdAt.toISOString(),
  };
}
