import { CalendarPlus } from "lucide";
import { Icon } from "../components/icon.tsx";
import { Loaded } from "../components/loaded.tsx";
import { formatPlanned, ownZone } from "../formats/dates.ts";
import { useRead } from "../site/read.ts";
import { client } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";

const SHOWN = 10;

/** What is planned, in the reader's own zone, and the calendar to subscribe to. */
export function ChannelSchedule({ username }: { username: string }) {
  const { schedule } = TEXTS;
  const path = { username };
  const read = useRead("listSchedule", { path, query: { per_page: SHOWN } }, { isForAll: true });
  return (
    <section class="channel-section" aria-label={schedule.title}>
      <header>
        <h2>{schedule.title}</h2>
        <a class="button quiet" href={client.address("getScheduleCalendar", { path })}>
          <Icon of={CalendarPlus} />
          {schedule.addToCalendar}
        </a>
      </header>
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="quiet">{schedule.empty}</p>
          ) : (
            <>
              <ul class="planned">
                {items.map(({ id, title, starts_at, ends_at }) => (
                  <li key={`${id} ${starts_at}`}>
                    <time dateTime={starts_at}>{formatPlanned(starts_at)}</time>
                    <span dir="auto">{title}</span>
                    {ends_at !== null && (
                      <span class="quiet">
                        {schedule.lasts((Date.parse(ends_at) - Date.parse(starts_at)) / 1_000)}
                      </span>
                    )}
                  </li>
                ))}
              </ul>
              <p class="quiet">{schedule.zone(ownZone())}</p>
            </>
          )
        }
      </Loaded>
    </section>
  );
}
