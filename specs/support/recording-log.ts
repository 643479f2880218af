import type { Log } from "../../base/log.ts";

export type LogLine = { level: string; message: string; fields: object };

/** A logger that appends to `lines`. */
export function recordingLog(lines: LogLine[]): Log {
  const at = (level: string) => (fields: object | string, message?: string) =>
    void lines.push(
      typeof fields === "string"
        ? { level, message: fields, fields: {} }
        : { level, message: message ?? "", fields },
    );
  const log: Log = {
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    debug: at("debug"),
    child: () => log,
  };
  return log;
}
