/**
 * The logger that components get: pino's interface, so that nothing below `deploy` depends on pino.
 * Data first, then a constant message.
 */
type Write = { (fields: object, message: string): void; (message: string): void };

export type Log = {
  error: Write;
  warn: Write;
  info: Write;
  debug: Write;
  child(fields: Record<string, unknown>): Log;
};
