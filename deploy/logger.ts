import { type DestinationStream, pino } from "pino";
import type { Log } from "../store/log.ts";
import { redactFields, redactText } from "./redaction.ts";

/**
 * The one logger of a process: JSON lines to standard output (or `destination`), times in ISO 8601. Secrets are
 * taken out by name and by form, so that a careless field doesn't leak one.
 */
export function createLogger(options: {
  level: "debug" | "info" | "warn" | "error";
  /** What this process is: "primary", "api", … */
  process: string;
  destination?: DestinationStream;
}): Log {
  return pino(
    {
      level: options.level,
      base: { process: options.process, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      // Everything is shaped in `log` below; pino's own serializer would print the error's fields unredacted.
      serializers: { err: (err: unknown) => err },
      formatters: {
        level: (label) => ({ level: label }),
        log: redactFields,
        bindings: redactFields,
      },
      hooks: {
        logMethod(args, write) {
          const last = args.at(-1);
          if (typeof last === "string" && args.length > 1) args[args.length - 1] = redactText(last);
          write.apply(this, args);
        },
      },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  );
}
