/** As a clock shows a length: "2:03", "1:02:03". */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const last = String(rest).padStart(2, "0");
  return hours === 0 ? `${minutes}:${last}` : `${hours}:${String(minutes).padStart(2, "0")}:${last}`;
}

/** As a countdown shows what is left, with a second that has begun: "1:30". */
export const formatLeft = (ms: number): string => formatClock(Math.ceil(ms / 1_000) * 1_000);
