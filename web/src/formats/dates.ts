import { DATE_LOCALE } from "./locale.ts";

/** In the reader's zone: "27 Nov 2026", with the time where it matters. */
export const formatDate = (iso: string): string =>
  new Date(iso).toLocaleDateString(DATE_LOCALE, { day: "numeric", month: "short", year: "numeric" });

export const formatMoment = (iso: string): string =>
  new Date(iso).toLocaleString(DATE_LOCALE, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });

/** When something was said: "20:15" today, with its day before. */
export function formatSaid(iso: string): string {
  const then = new Date(iso);
  if (then.toDateString() !== new Date().toDateString()) return formatMoment(iso);
  return then.toLocaleTimeString(DATE_LOCALE, { hour: "2-digit", minute: "2-digit" });
}

/** As short as it can be told apart: "20:15" today, "27 Nov" this year, "27 Nov 2025" before. @param at now, Unix ms */
export function formatRecent(iso: string, at: number): string {
  const [then, now] = [new Date(iso), new Date(at)];
  if (then.toDateString() === now.toDateString())
    return then.toLocaleTimeString(DATE_LOCALE, { hour: "2-digit", minute: "2-digit" });
  if (then.getFullYear() === now.getFullYear())
    return then.toLocaleDateString(DATE_LOCALE, { day: "numeric", month: "short" });
  return formatDate(iso);
}

/** With the day of the week: "Sunday 15 Mar, 20:00". */
export const formatPlanned = (iso: string): string =>
  new Date(iso).toLocaleString(DATE_LOCALE, {
    weekday: "long",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });

/** As the reader's browser names it: "Europe/Rome". */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
