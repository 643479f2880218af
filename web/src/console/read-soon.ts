import { useEffect, useRef } from "preact/hooks";

/** So many events are answered by one read. */
const WITHIN_MS = 1_000;

/** Reads once for all calls of a second: what a crowd does must not use up the reader's own requests. */
export function useReadSoon(read: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      read();
    }, WITHIN_MS);
  };
}
