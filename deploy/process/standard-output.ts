import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

/** Lines wait up to this many bytes, some thousands of lines. */
const MAX_WAITING_BYTES = 1 << 20;

type LineOutput = {
  /** Writes at once what the reader takes, and keeps the rest. Never blocks or throws: a full queue drops the line. */
  write(line: string): void;
  /** Lines dropped since the start. */
  dropped(): number;
  /** Calls `report` with the lines dropped since the last time, once all that waited is written. */
  onCaughtUp(report: (dropped: number) => void): void;
  /** Resolves once nothing waits, or after `ms`. Call it before the process exits. */
  written(ms: number): Promise<void>;
};

/**
 * Lines to `stream` that never stop the process. A pipe, a socket or a terminal that nobody reads takes no more after some
 * 64 KiB; a synchronous write would then wait for ever, and every request with it.
 */
function lineOutput(stream: Writable): LineOutput {
  let dropped = 0;
  let reported = 0;
  // Its reader may be gone: its lines are lost, and the process goes on.
  stream.on("error", () => undefined);
  unblock(stream);
  return {
    write(line) {
      if (stream.writableLength + line.length > MAX_WAITING_BYTES) dropped += 1;
      else stream.write(line);
    },
    dropped: () => dropped,
    onCaughtUp(report) {
      stream.on("drain", () => {
        if (dropped === reported) return;
        const since = dropped - reported;
        reported = dropped;
        report(since);
      });
    },
    async written(ms) {
      if (!stream.writableLength || stream.destroyed) return;
      const late = new AbortController();
      const drained = new Promise<void>((resolve) => {
        for (const event of ["drain", "close"]) stream.once(event, () => resolve());
      });
      await Promise.race([drained, delay(ms, undefined, { signal: late.signal }).catch(() => undefined)]);
      late.abort();
    },
  };
}

/** Node makes writes to a terminal wait until they are done. A paused terminal (Ctrl-S) would stop the process. */
function unblock(stream: object): void {
  if (!("isTTY" in stream && stream.isTTY && "_handle" in stream)) return;
  const handle = stream._handle;
  if (typeof handle !== "object" || handle === null || !("setBlocking" in handle)) return;
  if (typeof handle.setBlocking === "function") handle.setBlocking(false);
}

let opened: LineOutput | null = null;

/** This process's standard output, which its loggers share. */
export function standardOutput(): LineOutput {
  opened ??= lineOutput(process.stdout);
  return opened;
}
