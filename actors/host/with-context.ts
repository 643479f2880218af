import { isObject, type JsonObject } from "../../contract/json.ts";

/** For migrations: the stored format is the same, only states, delays or commands changed. */
export const sameFormat = (snapshot: unknown): unknown => snapshot;

/**
 * For migrations: the stored snapshot with these fields in its context, added or in place of those it has. `fields` returns null for
 * a context that isn't in its version's format. Such a snapshot, and one without a context, is returned as it is, and fails
 * validation afterwards.
 */
export function withContext(snapshot: unknown, fields: (context: JsonObject) => JsonObject | null): unknown {
  if (!isObject(snapshot) || !isObject(snapshot.context)) return snapshot;
  const changed = fields(snapshot.context);
  return changed === null ? snapshot : { ...snapshot, context: { ...snapshot.context, ...changed } };
}
