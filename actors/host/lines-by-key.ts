import { ServiceError } from "../../specs/contract/errors.ts";

/** Who has waited too long, or would be one too many. */
export const busy = () => new ServiceError("unavailable", { retry_after_ms: 1_000 });

/**
 * A line for each key, there as long as somebody uses it: what holds up one of them holds up no other. Past `most` users of
 * one, `unavailable`.
 */
export function linesByKey<Line>(open: (key: string) => Line, most: number) {
  const lines = new Map<string, { line: Line; users: number }>();
  return async function use<T>(key: string, work: (line: Line) => Promise<T>): Promise<T> {
    const used = lines.get(key) ?? { line: open(key), users: 0 };
    if (used.users >= most) throw busy();
    lines.set(key, used);
    used.users++;
    try {
      return await work(used.line);
    } finally {
      used.users--;
      if (used.users === 0) lines.delete(key);
    }
  };
}
