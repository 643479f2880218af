import { expect } from "chai";
import ICAL from "ical.js";

type Shown = { starts: string; ends: string; title: string };

/** A calendar as a subscriber's program reads it. */
export function readCalendar(text: string) {
  // Some programs leave out a last line without its end.
  expect(text.slice(-15)).equal("END:VCALENDAR\r\n");
  expect(text.replaceAll("\r\n", "")).not.match(/[\r\n]/);
  for (const line of text.split("\r\n")) expect(Buffer.byteLength(line), line).most(75);
  const calendar = new ICAL.Component(ICAL.parse(text));
  const components = calendar.getAllSubcomponents("vevent");
  const defined = calendar
    .getAllSubcomponents("vtimezone")
    .map((one) => String(one.getFirstPropertyValue("tzid")));
  const used = components.flatMap((one) =>
    one.getAllProperties().flatMap((property) => property.getParameter("tzid") ?? []),
  );
  // Each zone that is named, once.
  expect(defined.toSorted()).deep.equal([...new Set(used)].map(String).toSorted());
  const all = components.map((one) => new ICAL.Event(one));
  const [moved, events] = [
    all.filter((one) => one.isRecurrenceException()),
    all.filter((one) => !one.isRecurrenceException()),
  ];
  for (const one of moved) events.find(({ uid }) => uid === one.uid)?.relateException(one);

  return {
    zones: defined,
    events,
    nameOf: (property: string) => calendar.getFirstPropertyValue(property),
    /** What starts between two times, the earliest first. Weeks that were moved there from beyond a year later aren't read. */
    starting(from: string, to: string, uid?: string): Shown[] {
      const shown = events
        .filter((event) => uid === undefined || event.uid === uid)
        .flatMap((event) => [...occurrencesOf(event, Date.parse(to) + 366 * 86_400_000)]);
      return shown
        .filter(({ starts }) => starts >= new Date(from).toISOString() && starts < new Date(to).toISOString())
        .toSorted((one, other) => one.starts.localeCompare(other.starts));
    },
  };
}

function* occurrencesOf(event: ICAL.Event, until: number): Generator<Shown> {
  const times = event.iterator();
  for (let next = times.next(); next && next.toUnixTime() * 1_000 < until; next = times.next()) {
    const { startDate, endDate, item } = event.getOccurrenceDetails(next);
    yield {
      starts: startDate.toJSDate().toISOString(),
      ends: endDate.toJSDate().toISOString(),
      title: item.summary,
    };
    if (!event.isRecurring()) return;
  }
}
