import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { problemOf } from "./problems.ts";

type NextPage = {
  isLoading: boolean;
  /** Why it didn't come; null unless it failed. */
  problem: string | null;
  /** Does nothing while one is read. */
  load<Answer>(read: () => Promise<Answer>, take: (answer: Answer) => void, failed?: () => void): void;
  /** The same in place of what is read now, whose answer is dropped. */
  reload: NextPage["load"];
};

/** Reads further pages of a list, one read at a time. What comes once `key` names another list, or another reader's, is dropped. */
export function useNextPage(key: string): NextPage {
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const shown = useRef(key);
  const newest = useRef(0);
  // Before anything is painted.
  useLayoutEffect(() => {
    shown.current = key;
    setLoading(false);
    setProblem(null);
  }, [key]);
  const reload: NextPage["load"] = (read, take, failed) => {
    const turn = ++newest.current;
    setLoading(true);
    setProblem(null);
    const settle = (change: () => void): void => {
      if (shown.current !== key || newest.current !== turn) return;
      change();
      setLoading(false);
    };
    read().then(
      (answer) => settle(() => take(answer)),
      (err: unknown) =>
        settle(() => {
          setProblem(problemOf(err));
          failed?.();
        }),
    );
  };
  return {
    isLoading,
    problem,
    load(read, take) {
      if (!isLoading) reload(read, take);
    },
    reload,
  };
}
