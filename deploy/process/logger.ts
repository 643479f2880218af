import { isatty } from "node:tty";
import { type DestinationStream, pino } from "pino";
import { isColorSupported, prettyFactory } from "pino-pretty";
import type { Log } from "../../store/log.ts";
import type { Settings } from "../config/config.ts";
import { redactFields, redactText } from "./redaction.ts";

const STANDARD_OUTPUT = 1;

/** The logger that a process writes by: in a terminal, where somebody reads along, in lines for people. */
export const processLogger = ({ env, log }: Pick<Settings, "env" | "log">, process: string): Log =>
  createLogger({
    ...{ level: log.level, process },
    // What production writes is for machines, wherever it is looked at.
    readable: env !== "production" && isatty(STANDARD_OUTPUT),
  });

/**
 * The one logger of a process: JSON lines to standard output (or `destination`), times in ISO 8601. Secrets are
 * taken out by name and by form, so that a careless field doesn't leak one. Every line is out when its call returns,
 * also in the moment of an exit.
 */
export function createLogger(options: {
  level: "debug" | "info" | "warn" | "error";
  /** What this process is: "primary", "api", … */
  process: string;
  /** Lines for people instead of JSON. */
  readable: boolean;
  destination?: DestinationStream;
}): Log {
  const destination = options.destination ?? standardOutput();
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
    options.readable ? forPeople(destination) : destination,
  );
}

/** A terminal may be closed while a stop still has things to say: they are lost, and the stop goes on. */
function standardOutput(): DestinationStream {
  const destination = pino.destination({ fd: STANDARD_OUTPUT, sync: true });
  destination.on("error", () => undefined);
  return destination;
}

/** Made in this process: pino's own way is a thread, whose last lines an exit loses. */
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
