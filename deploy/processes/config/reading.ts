import type { Environment } from "./environment.ts";
import type { Setting } from "./setting.ts";

/** An empty variable counts as missing, since shells and compose files pass unset variables as empty ones. */
export const given = (env: Environment, { name, fallback }: Setting<unknown>): string | null =>
  env[name]?.trim() || fallback;

export type Reader = <T>(setting: Setting<T>) => T;

/** Throws for a value that its schema refuses. */
export const reader =
  (env: Environment): Reader =>
  (setting) =>
    setting.schema.parse(given(env, setting) ?? "");

export const missing = ({ name, meaning }: Setting<unknown>): string => `${name} is missing. ${meaning}`;
