import type { Log } from "../../base/log.ts";

type KeptLog = Log & { readonly errors: { fields: unknown; message: unknown }[] };

/** A silent logger that keeps the last 100 errors, including those of child loggers. */
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
