import { useRef } from "preact/hooks";

/** Does one work after the other, in the order in which they are given. Each settles as its work does. */
export function useInTurn(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return (work) => {
    const done = last.current.then(work);
    // What fails holds up nothing.
    last.current = done.catch(() => undefined);
    return done;
  };
}
