import type { Schema } from "./schemas.ts";

/** One environment variable. */
export type Setting<T> = {
  readonly name: string;
  readonly schema: Schema<T>;
  /** The default; null: the variable must be given, or its value comes from elsewhere as `meaning` says. */
  readonly fallback: string | null;
  readonly meaning: string;
};

export const setting = <T>(
  name: string,
  of: Schema<T>,
  fallback: string | null,
  meaning: string,
): Setting<T> => ({
  name,
  schema: of,
  fallback,
  meaning,
});
