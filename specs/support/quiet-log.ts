import type { Log } from "../../store/log.ts";

export type KeptLog = Log & { readonly errors: { fields: unknown; message: unknown }[] };

/** Keeps the errors, of children too, so that a spec can look at them (the last 100); says nothing. */
export function quietLog(): KeptLog {
  const errors: { fields: unknown; message: unknown }[] = [];
  const log: KeptLog = {
    errors,
    error(fields: unknown, message?: unknown) {
      errors.push({ fields, message });
      if (errors.length > 100) errors.shift();
    },
    warn: () => undefined,
    info: () => undefined,
    debug: () => undefined,
    child: () => log,
  };
  return log;
}
