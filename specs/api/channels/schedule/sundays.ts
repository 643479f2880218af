/** A weekly entry. Clocks change in London on 29 March and 25 October 2026, one hour after midnight UTC. */
export const SUNDAYS = {
  title: "Sundays",
  starts_at: "2026-03-22T19:00:00Z",
  ends_at: "2026-03-22T21:00:00Z",
  is_recurring: true,
  time_zone: "Europe/London",
};
