import { expect } from "chai";
import { quietUntil } from "../../../actors/notifications/quiet-hours.ts";

const hours = (start: string, end: string, timeZone: string) => ({
  quietHoursStart: new Date(start),
  quietHoursEnd: new Date(end),
  timeZone,
});
const until = (set: Parameters<typeof quietUntil>[0], at: string) =>
  quietUntil(set, new Date(at))?.toISOString() ?? null;

describe("Quiet hours", () => {
  const day = hours("2020-01-01T13:00:00Z", "1999-06-01T15:30:00Z", "UTC");
  const night = hours("2026-01-01T22:00:00Z", "2026-01-01T07:00:00Z", "UTC");

  it("are every day, from the one time of day up to the other", () => {
    expect(until(day, "2026-03-14T12:59:59.999Z")).equal(null);
    expect(until(day, "2026-03-14T13:00:00Z")).equal("2026-03-14T15:30:00.000Z");
    expect(until(day, "2031-08-02T15:29:59.999Z")).equal("2031-08-02T15:30:00.000Z");
    expect(until(day, "2026-03-14T15:30:00Z")).equal(null);
  });

  it("go over midnight", () => {
    expect(until(night, "2026-03-14T21:59:59Z")).equal(null);
    expect(until(night, "2026-03-14T22:00:00Z")).equal("2026-03-15T07:00:00.000Z");
    expect(until(night, "2026-03-15T00:00:00Z")).equal("2026-03-15T07:00:00.000Z");
    expect(until(night, "2026-12-31T23:00:00Z")).equal("2027-01-01T07:00:00.000Z");
    expect(until(night, "2026-03-15T07:00:00Z")).equal(null);
  });

  it("are by the clock of their time zone, in summer too", () => {
    // 22:00 to 07:00 in Berlin, given in winter.
    const berlin = hours("2026-01-10T21:00:00Z", "2026-01-10T06:00:00Z", "Europe/Berlin");
    expect(until(berlin, "2026-01-10T21:00:00Z")).equal("2026-01-11T06:00:00.000Z");
    expect(until(berlin, "2026-07-10T20:00:00Z")).equal("2026-07-11T05:00:00.000Z");
    expect(until(berlin, "2026-07-11T05:00:00Z")).equal(null);
    const auckland = hours("2026-01-10T09:00:00Z", "2026-01-10T18:00:00Z", "Pacific/Auckland");
    expect(until(auckland, "2026-01-10T12:00:00Z")).equal("2026-01-10T18:00:00.000Z");
  });

  it("are an hour shorter or longer in the nights in which clocks change", () => {
    const berlin = hours("2026-01-10T21:00:00Z", "2026-01-10T06:00:00Z", "Europe/Berlin");
    expect(until(berlin, "2026-03-28T21:00:00Z")).equal("2026-03-29T05:00:00.000Z");
    expect(until(berlin, "2026-10-24T20:00:00Z")).equal("2026-10-25T06:00:00.000Z");
  });

  it("end once where a clock shows their end twice, and later where it leaves it out", () => {
    // 22:00 to 02:30 in Berlin.
    const berlin = hours("2026-01-10T21:00:00Z", "2026-01-10T01:30:00Z", "Europe/Berlin");
    // 02:30 summer time, and again an hour later.
    expect(until(berlin, "2026-10-25T00:29:00Z")).equal("2026-10-25T00:30:00.000Z");
    expect(until(berlin, "2026-10-25T00:45:00Z")).equal(null);
    expect(until(berlin, "2026-10-25T01:15:00Z")).equal(null);
    // No 02:30 that night: 03:30.
    expect(until(berlin, "2026-03-29T01:10:00Z")).equal("2026-03-29T01:30:00.000Z");
    expect(until(berlin, "2026-03-29T01:30:00Z")).equal(null);
  });

  it("aren't, without both ends", () => {
    expect(
      until({ quietHoursStart: null, quietHoursEnd: null, timeZone: "UTC" }, "2026-03-14T12:00:00Z"),
    ).equal(null);
  });
});
