import { useOneAtATime } from "../../components/one-at-a-time.ts";
import { formatDay, formatPlanned, formatWeekly, ownZone } from "../../formats/dates.ts";
import type { Schemas } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { withoutSkip, withSkip } from "./skips.ts";

type Entry = Schemas["ScheduleEntry"];
type Props = {
  entry: Entry;
  /** Its times within the next weeks; null while they aren't known. */
  next: readonly Entry[] | null;
  onChanged: (entry: Entry) => void;
  onEdit: () => void;
  onPause: () => void;
  onRemove: () => void;
};
/** More would hide the entries below. */
const SHOWN = 4;

/** A planned stream, with its next times; a weekly one may be skipped, paused and go on. */
export function EntryRow({ entry, next, onChanged, onEdit, onPause, onRemove }: Props) {
  const texts = CONSOLE_TEXTS.schedule;
  const { isBusy, run } = useOneAtATime();
  const { id, title, is_recurring: isWeekly, starts_at: at, recurrence_pause: pause } = entry;
  const change = (body: Schemas["ScheduleEntryUpdate"]) =>
    run(async () => {
      try {
        onChanged(await client.call("updateScheduleEntry", { path: { entry_id: id }, body }));
      } catch (err) {
        say(problemOf(err), { isProblem: true });
      }
    });
  const skipped = entry.recurrence_exceptions.filter(({ moved_to }) => moved_to === null);
  return (
    <li>
      <div class="what">
        <b dir="auto">{title}</b>
        {isWeekly ? (
          <span>{texts.weekly(formatWeekly(at))}</span>
        ) : (
          <time dateTime={at}>{formatPlanned(at)}</time>
        )}
        {isWeekly && <span class="quiet">{factsOf(entry).join(" · ")}</span>}
        {isWeekly && (
          <ul class="weeks" aria-label={texts.next}>
            {(next ?? []).slice(0, SHOWN).map((week) => {
              const when = formatPlanned(week.starts_at);
              return (
                <li key={week.starts_at}>
                  <time dateTime={week.starts_at}>{when}</time>
                  <button
                    type="button"
                    class="act"
                    aria-disabled={isBusy}
                    aria-label={texts.skipOf(when)}
                    onClick={() =>
                      void change({ recurrence_exceptions: withSkip(entry, week.recurrence_date ?? "") })
                    }
                  >
                    {texts.skip}
                  </button>
                </li>
              );
            })}
            {next?.length === 0 && <li class="quiet">{texts.noNext}</li>}
            {skipped.map(({ date }) => (
              <li key={date} class="quiet">
                <span>
                  <s>{formatDay(date)}</s> {texts.skipped}
                </span>
                <button
                  type="button"
                  class="act"
                  aria-disabled={isBusy}
                  aria-label={texts.restoreOf(formatDay(date))}
                  onClick={() => void change({ recurrence_exceptions: withoutSkip(entry, date) })}
                >
                  {texts.restore}
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div class="actions">
        {isWeekly && pause === null && (
          <button type="button" class="button quiet" aria-label={texts.pauseOf(title)} onClick={onPause}>
            {texts.pause}
          </button>
        )}
        {isWeekly && pause !== null && (
          <button
            type="button"
            class="button quiet"
            aria-disabled={isBusy}
            aria-label={texts.resumeOf(title)}
            onClick={() => void change({ recurrence_pause: null })}
          >
            {texts.resume}
          </button>
        )}
        <button type="button" class="button quiet" aria-label={texts.editOf(title)} onClick={onEdit}>
          {texts.edit}
        </button>
        <button type="button" class="button quiet" aria-label={texts.removeOf(title)} onClick={onRemove}>
          {texts.remove}
        </button>
      </div>
    </li>
  );
}

function factsOf({ time_zone: zone, recurrence_until: last, recurrence_pause: pause }: Entry): string[] {
  const texts = CONSOLE_TEXTS.schedule;
  const until = pause?.until ?? null;
  return [
    ...(zone === ownZone() ? [] : [texts.inZone(zone)]),
    ...(last === null ? [] : [texts.until(formatDay(last))]),
    ...(pause === null
      ? []
      : [
          until === null
            ? texts.pausedFrom(formatDay(pause.from))
            : texts.paused(formatDay(pause.from), formatDay(until)),
        ]),
  ];
}
