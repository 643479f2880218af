import { fstatSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

/** Lines wait up to this many bytes, some thousands of lines. */
const MAX_WAITING_BYTES = 1 << 20;
const DESCRIPTOR = 1;

type LineOutput = {
  /** Writes at once what the reader takes, and keeps the rest. Never blocks or throws: a full queue drops the line. */
  write(line: string): void;
  /** Lines dropped since the start, and those that couldn't be written: the disk is full, or nobody reads any more. */
  dropped(): number;
  /** Calls `report` with the lines dropped since the last time, once a line is written again and nothing waits. */
  onCaughtUp(report: (dropped: number) => void): void;
  /** Resolves once nothing waits, or after `ms`. Call it before the process exits. */
  written(ms: number): Promise<void>;
};

/** Counts lines that were dropped, and reports them once. */
function createDropCount() {
  let dropped = 0;
  let reported = 0;
  let report: (dropped: number) => void = () => undefined;
  return {
    add(): void {
      dropped += 1;
    },
    total: () => dropped,
    onCaughtUp(given: typeof report): void {
      report = given;
    },
    caughtUp(): void {
      if (dropped === reported) return;
      const since = dropped - reported;
      reported = dropped;
      report(since);
    },
  };
}

/**
 * Lines to `stream` that never stop the process. A pipe, a socket or a terminal that nobody reads takes no more after some
 * 64 KiB; a synchronous write would then wait for ever, and every request with it.
 */
function streamOutput(stream: Writable): LineOutput {
  const drops = createDropCount();
  // Its reader may be gone; each write says so itself.
  stream.on("error", () => undefined);
  unblock(stream);
  const onWritten = (err?: Error | null) => {
    if (err) drops.add();
    else if (stream.writableLength === 0) drops.caughtUp();
  };
  return {
    write(line) {
      if (stream.writableLength + line.length > MAX_WAITING_BYTES) drops.add();
      else stream.write(line, onWritten);
    },
    dropped: drops.total,
    onCaughtUp: drops.onCaughtUp,
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

/** Lines to a file or a device, which never waits for a reader. Node's stream would take none any more after a full disk. */
function fileOutput(descriptor: number): LineOutput {
  const drops = createDropCount();
  return {
    write(line) {
      const bytes = Buffer.from(line);
      try {
        if (writeSync(descriptor, bytes) < bytes.length) return drops.add();
      } catch {
        return drops.add();
      }
      drops.caughtUp();
    },
    dropped: drops.total,
    onCaughtUp: drops.onCaughtUp,
    written: async () => undefined,
  };
}

/** Node makes writes to a terminal wait until they are done. A paused terminal (Ctrl-S) would stop the process. */
function unblock(stream: object): void {
  if (!("isTTY" in stream && stream.isTTY && "_handle" in stream)) return;
  const handle = stream._handle;
  if (typeof handle !== "object" || handle === null || !("setBlocking" in handle)) return;
  if (typeof handle.setBlocking === "function") handle.setBlocking(false);
}

function isFile(): boolean {
  const kind = fstatSync(DESCRIPTOR);
  return kind.isFile() || (kind.isCharacterDevice() && !process.stdout.isTTY);
}

let opened: LineOutput | null = null;

/** This process's standard output, which its loggers share. */
export function standardOutput(): LineOutput {
  opened ??= isFile() ? fileOutput(DESCRIPTOR) : streamOutput(process.stdout);
  return opened;
}
