import { DATE_LOCALE } from "./locale.ts";

/** Made once: making one takes longer than all else that a line of the chat costs. */
const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat["format"] =>
  new Intl.DateTimeFormat(DATE_LOCALE, options).format;

const TIME = { hour: "2-digit", minute: "2-digit" } as const;
const DAY = { day: "numeric", month: "short" } as const;
const asTime = format(TIME);
const asDay = format(DAY);
const asDate = format({ ...DAY, year: "numeric" });
const asMoment = format({ ...DAY, year: "numeric", ...TIME });
const asWeekly = format({ weekday: "long", ...TIME });
const asPlanned = format({ weekday: "long", ...DAY, ...TIME });

const asUtcDay = format({ ...DAY, timeZone: "UTC" });

/** "20:15", in the reader's zone. @param at Unix ms */
export const formatTime = (at: number): string => asTime(new Date(at));

/** "27 Nov", in UTC. @param at Unix ms */
export const formatUtcDay = (at: number): string => asUtcDay(new Date(at));

/** In the reader's zone: "27 Nov 2026", with the time where it matters. */
export const formatDate = (iso: string): string => asDate(new Date(iso));

export const formatMoment = (iso: string): string => asMoment(new Date(iso));

/** When something was said: "20:15" today, with its day before. */
export function formatSaid(iso: string): string {
  const then = new Date(iso);
  return isSameDay(then, new Date()) ? asTime(then) : asMoment(then);
}

/** As short as it can be told apart: "20:15" today, "27 Nov" this year, "27 Nov 2025" before. @param at now, Unix ms */
export function formatRecent(iso: string, at: number): string {
  const [then, now] = [new Date(iso), new Date(at)];
  if (isSameDay(then, now)) return asTime(then);
  return then.getFullYear() === now.getFullYear() ? asDay(then) : asDate(then);
}

/** With the day of the week: "Sunday 15 Mar, 20:00". */
export const formatPlanned = (iso: string): string => asPlanned(new Date(iso));

/** What is so each week: "Sunday 20:00". */
export const formatWeekly = (iso: string): string => asWeekly(new Date(iso));

/** A day of a calendar, which is the same in each zone: from "2026-12-24", "24 Dec 2026". */
export const formatDay = (day: string): string => asDate(new Date(`${day}T12:00`));

/** As the reader's browser names it: "Europe/Rome". */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const isSameDay = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString();
