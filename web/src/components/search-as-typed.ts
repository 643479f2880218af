import { useEffect } from "preact/hooks";

/** What is typed within this time is one search. */
const PAUSE_MS = 300;

/** Calls `search` with what was typed, without spaces around it, once the typing pauses. */
export function useSearchAsTyped(typed: string, search: (text: string) => void): void {
  useEffect(() => {
    const pause = setTimeout(() => search(typed.trim()), PAUSE_MS);
    return () => clearTimeout(pause);
  }, [typed]);
}
