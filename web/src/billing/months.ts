/** Whole months that have passed since then. @param at now, Unix ms */
export function monthsSince(iso: string, at: number): number {
  const [then, now] = [new Date(iso), new Date(at)];
  const months = (now.getFullYear() - then.getFullYear()) * 12 + now.getMonth() - then.getMonth();
  return Math.max(0, now.getDate() < then.getDate() ? months - 1 : months);
}
