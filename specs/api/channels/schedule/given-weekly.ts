import { expect } from "chai";
import type { Given, Person } from "../../../support/given-channels.ts";
import type { World } from "../../../support/world.ts";
import { readCalendar } from "./read-calendar.ts";

/** At eight in the evening in London, where the clock changes on 29 March 2026: the 1st, 8th, 15th, 22nd and 29th, and in April the 5th. */
const SUNDAYS = {
  title: "Sundays",
  starts_at: "2026-03-01T20:00:00Z",
  ends_at: "2026-03-01T22:00:00Z",
  is_recurring: true,
  time_zone: "Europe/London",
};
export const PERIOD = ["2026-02-20T00:00:00Z", "2026-05-01T00:00:00Z"] as const;
/** Its starts in that period. */
export const MARCH = ["01", "08", "15", "22"].map((day) => `2026-03-${day}T20:00:00.000Z`);
export const SUMMER = ["03-29", "04-05", "04-12", "04-19", "04-26"].map((day) => `2026-${day}T19:00:00.000Z`);

/** The weekly entry of a new user, in each spec; use it only there. */
export function givenWeekly(world: World, given: Given) {
  let owner: Person;
  beforeEach(async () => {
    owner = await given.user();
  });

  const params = () => ({ username: owner.username });
  const listed = async () => {
    const [from, to] = PERIOD;
    const query = { from, to, per_page: "100" };
    return (await world.api.ok("listSchedule", { params: params(), query })).items;
  };
  const calendar = async () =>
    readCalendar(String(await world.api.ok("getScheduleCalendar", { params: params() })));

  return {
    add: (more: object = {}) => owner.api.ok("createScheduleEntry", { body: { ...SUNDAYS, ...more } }),
    change: (entry_id: string, body: object) =>
      owner.api.ok("updateScheduleEntry", { params: { entry_id }, body }),
    /** The code by which an entry or a change of it is refused, and the field. */
    async refusal(more: object, entry_id?: string) {
      const { code, details } = await (entry_id === undefined
        ? owner.api.call("createScheduleEntry", { body: { ...SUNDAYS, ...more } })
        : owner.api.call("updateScheduleEntry", { params: { entry_id }, body: more }));
      return [code, Object(details.errors)[0]?.path];
    },
    listed,
    calendar,
    /** When it starts, by REST and by the calendar, which have the same ends, too. */
    async starts(): Promise<string[]> {
      const rest = (await listed()).map((one) => ({ starts: one.starts_at, ends: one.ends_at }));
      const read = (await calendar()).starting(...PERIOD);
      expect(read.map(({ starts, ends }) => ({ starts, ends }))).deep.equal(rest);
      return rest.map((one) => one.starts);
    },
  };
}
