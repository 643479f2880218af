import { useRef, useState } from "preact/hooks";

type OneAtATime = {
  isBusy: boolean;
  /** Does it, unless something is being done: then undefined. Rejects as the work does. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>;
};

/**
 * What a press starts, once at a time. Its buttons are `aria-disabled` meanwhile: a browser takes the focus
 * from a button that is `disabled`, and whoever presses keys would lose their place.
 */
export function useOneAtATime(): OneAtATime {
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  return {
    isBusy,
    async run(work) {
      if (isRunning.current) return undefined;
      isRunning.current = true;
      setBusy(true);
      try {
        return await work();
      } finally {
        isRunning.current = false;
        setBusy(false);
      }
    },
  };
}
