/**
 * The logger that parts are handed: pino's shape, so that nothing below `deploy` needs pino itself.
 * Data first, then a constant sentence.
 */
type Write = { (fields: object, message: string): void; (message: string): void };

export type Log = {
  error: Write;
  warn: Write;
  info: Write;
  debug: Write;
  child(fields: Record<string, unknown>): Log;
};
