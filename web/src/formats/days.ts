/** "Mar 14, 2026", in the reader's own zone. */
export const formatDay = (timestamp: string): string =>
  new Date(timestamp).toLocaleDateString("en", { year: "numeric", month: "short", day: "numeric" });

/** "Sunday, Mar 15, 8:00 PM", in the reader's own zone. */
export const formatTime = (timestamp: string): string =>
  new Date(timestamp).toLocaleString("en", {
    weekday: "long",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  });

/** As the reader's browser names it: "Europe/Rome". */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
