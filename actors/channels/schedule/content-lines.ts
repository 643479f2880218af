import type { LocalTime } from "../time-zones/local-time.ts";

/** More bytes than that are folded (RFC 5545, 3.1). */
const MAX_BYTES = 75;

/** Lines as iCalendar has them, the last one ended, too. */
export const joined = (lines: readonly string[]): string =>
  lines.map((line) => `${folded(line)}\r\n`).join("");

/** A text as the value of a property (RFC 5545, 3.3.11), which can't become lines of its own. */
export const asText = (text: string): string =>
  text.replace(/[\\;,]/g, String.raw`\$&`).replace(/\r\n|[\r\n]/g, String.raw`\n`);

/** "20260301T200000". */
export const asLocal = (shown: LocalTime): string => new Date(shown).toISOString().replace(/[-:]|\..*/g, "");

export const asUtc = (at: Date | number): string => `${asLocal(+at)}Z`;

/** "PT26H15M0S": exact, while days and weeks of a duration are the clock's (RFC 5545, 3.3.6). Between the seconds that are written. */
export function asDuration(from: number, to: number): string {
  const seconds = Math.floor(to / 1_000) - Math.floor(from / 1_000);
  return `PT${Math.floor(seconds / 3_600)}H${Math.floor(seconds / 60) % 60}M${seconds % 60}S`;
}

/** Between code points, so that no character is cut in two. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= MAX_BYTES) return line;
  const parts = [""];
  let bytes = 0;
  for (const character of line) {
    const more = Buffer.byteLength(character);
    if (bytes + more > MAX_BYTES) {
      // The space that begins a part counts, too.
      parts.push("");
      bytes = 1;
    }
    parts[parts.length - 1] += character;
    bytes += more;
  }
  return parts.join("\r\n ");
}
