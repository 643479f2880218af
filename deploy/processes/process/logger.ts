import { isatty } from "node:tty";
import { type DestinationStream, pino } from "pino";
import { isColorSupported, prettyFactory } from "pino-pretty";
import type { Log } from "../../../base/log.ts";
import type { Meter } from "../../../base/metrics.ts";
import type { Settings } from "../config/config.ts";
import { LOG_METRICS } from "./metrics.ts";
import { redactFields, redactText } from "./redaction.ts";
import { standardOutput } from "./standard-output.ts";

const STANDARD_OUTPUT = 1;

/** The logger of a process: in a terminal outside production it writes readable lines, otherwise JSON. */
export const processLogger = ({ env, log }: Pick<Settings, "env" | "log">, process: string): Log =>
  createLogger({
    level: log.level,
    process,
    // Production logs are for machines, even on a terminal.
    readable: env !== "production" && isatty(STANDARD_OUTPUT),
  });

/** The logger of an operator's command: standard output is for people; collectors of audit lines read standard error. */
export const commandLogger = (command: string, level: "info" | "warn" = "info"): Log =>
  createLogger({ level, process: command, readable: false, destination: process.stderr });

/**
 * The only logger of a process: JSON lines to standard output (or `destination`), with ISO 8601 times. Secrets are redacted by
 * name and by form, so that a careless field doesn't leak one. A line is written before the call returns, unless standard output
 * isn't read.
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

/** Counts the lines that standard output didn't take, and logs how many once it takes lines again. Call it once per process. */
export function reportDroppedLines(log: Log, meter: Meter): void {
  const output = standardOutput();
  meter.read(LOG_METRICS, () => ({ dropped: output.dropped() }));
  output.onCaughtUp((lines) => log.warn({ lines }, "log lines dropped: standard output full or unread"));
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
