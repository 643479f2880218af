/** As a clock shows a length: "1:02:03". */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part, place) => (place === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}
