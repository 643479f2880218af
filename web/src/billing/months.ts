/** Whole months that have passed since then. */
export function monthsSince(iso: string, now = new Date()): number {
  const then = new Date(iso);
  const months = (now.getFullYear() - then.getFullYear()) * 12 + now.getMonth() - then.getMonth();
  return Math.max(0, now.getDate() < then.getDate() ? months - 1 : months);
}
