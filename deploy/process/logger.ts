import { isatty } from "node:tty";
import { type DestinationStream, pino } from "pino";
import { isColorSupported, prettyFactory } from "pino-pretty";
import type { Log } from "../../store/log.ts";
import type { Settings } from "../config/config.ts";
import { redactFields, redactText } from "./redaction.ts";

const STANDARD_OUTPUT = 1;

/** The logger of a process: in a terminal outside production it writes readable lines, otherwise JSON. */
export const processLogger = ({ env, log }: Pick<Settings, "env" | "log">, process: string): Log =>
  createLogger({
    level: log.level,
    process,
    // Production logs are for machines, even on a terminal.
    readable: env !== "production" && isatty(STANDARD_OUTPUT),
  });

/**
 * The only logger of a process: JSON lines to standard output (or `destination`), with ISO 8601 times. Secrets are redacted by
 * name and by form, so that a careless field doesn't leak one. Writes are synchronous, so no line is lost on exit.
 */
export function createLogger(options: {
  level: "debug" | "info" | "warn" | "error";
  /** The kind of process: "primary", "api", … */
  process: string;
  /** Readable lines instead of JSON. */
  readable: boolean;
  destination?: DestinationStream;
}): Log {
  const destination = options.destination ?? standardOutput();
  return pino(
    {
      level: options.level,
      base: { process: options.process, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      // The `log` formatter below handles everything; pino's own serializer would print the error's fields unredacted.
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
    options.readable ? forPeople(destination) : destination,
  );
}

/** The terminal may be closed while a stop still logs: those lines are lost, and the stop continues. */
function standardOutput(): DestinationStream {
  const destination = pino.destination({ fd: STANDARD_OUTPUT, sync: true });
  destination.on("error", () => undefined);
  return destination;
}

/** Formats in this process: pino's own transport is a thread, whose last lines are lost on exit. */
function forPeople(destination: DestinationStream): DestinationStream {
  const shown = prettyFactory({
    colorize: isColorSupported && isatty(STANDARD_OUTPUT),
    translateTime: "SYS:HH:MM:ss.l",
    ignore: "pid,process",
    messageFormat: "{process}: {msg}",
    singleLine: true,
  });
  return { write: (line) => destination.write(shown(line)) };
}
