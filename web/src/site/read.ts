import type { Input, OperationId, Success } from "@livecore/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { takeAnswer } from "./page-data.ts";
import { problemOf } from "./problems.ts";
import { retryWait } from "./retry-wait.ts";
import { client, me, userId } from "./session.ts";

const UNAUTHORIZED = 401;

/** What is read: not yet there, there, or refused. Data stays while it is read again. */
export type Read<Data> = {
  data: Data | undefined;
  /** Null unless the last try failed. */
  problem: string | null;
  /** The refusal's status; null without one. */
  status: number | null;
  again(): void;
  /** Shows other data until the next read: what an action has changed. */
  change(change: (data: Data) => Data): void;
};

type State<Data> = {
  key: string;
  data: Data | undefined;
  /** Whether there is data that needn't be read again. */
  isRead: boolean;
  problem: string | null;
  status: number | null;
};

/**
 * Reads an operation while the component is shown, and again: when the service says where it was too busy, when `input` changes, when the
 * user does. Where it `isForAll`, that is, where it doesn't depend on who asks, the answer that came with the page counts for everybody,
 * and the user doesn't matter; otherwise that answer counts for strangers.
 */
export function useRead<Op extends OperationId>(
  operation: Op,
  input: Input<Op> | null,
  { isForAll = false }: { isForAll?: boolean } = {},
): Read<Success<Op>> {
  const who = isForAll ? null : userId.value;
  // It isn't known yet whose answer it would be.
  const isWaiting = !isForAll && me.value === undefined;
  const key = JSON.stringify([operation, input, isWaiting ? "unknown" : who]);
  const [tries, setTries] = useState(0);
  const first = (): State<Success<Op>> => {
    const isKnown = input !== null && !isWaiting && who === null;
    const taken = isKnown ? takeAnswer(operation, input) : undefined;
    const isRead = taken !== undefined && !taken.isOld;
    return { key, data: taken?.data, isRead, problem: null, status: null };
  };
  const [state, setState] = useState(first);
  const shown = useRef(state);
  const refusals = useRef(0);
  if (shown.current.key !== key) {
    shown.current = first();
    refusals.current = 0;
  }

  useEffect(() => {
    if (input === null || isWaiting || (tries === 0 && shown.current.key === key && shown.current.isRead))
      return;
    const ended = new AbortController();
    let busy: ReturnType<typeof setTimeout> | undefined;
    const settle = (changed: Partial<State<Success<Op>>>): void => {
      if (ended.signal.aborted) return;
      shown.current = { ...shown.current, problem: null, status: null, ...changed };
      setState(shown.current);
    };
    const ask = () => client.attempt(operation, { ...input, signal: ended.signal });
    const readIt = async () => {
      const answer = await ask();
      // The session has ended, and its cookies are gone: what is for everybody is there for strangers too.
      return isForAll && answer.status === UNAUTHORIZED ? ask() : answer;
    };
    readIt().then(
      (answer) => {
        if (answer.ok) {
          refusals.current = 0;
          return settle({ data: answer.data, isRead: true });
        }
        settle({ problem: problemOf(answer.error), status: answer.status });
        const { retryAfterMs } = answer.error;
        if (retryAfterMs !== null && !ended.signal.aborted)
          busy = setTimeout(
            () => setTries((before) => before + 1),
            retryWait(refusals.current++, retryAfterMs),
          );
      },
      (err: unknown) => settle({ problem: problemOf(err) }),
    );
    return () => {
      ended.abort();
      clearTimeout(busy);
    };
  }, [key, tries]);

  const { data, problem, status } = shown.current;
  return {
    data,
    problem,
    status,
    again: () => setTries((before) => before + 1),
    change(change) {
      if (shown.current.data === undefined) return;
      shown.current = { ...shown.current, data: change(shown.current.data) };
      setState(shown.current);
    },
  };
}
