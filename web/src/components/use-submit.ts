import { useState } from "preact/hooks";
import { useOneAtATime } from "./one-at-a-time.ts";

export type Submission = {
  isBusy: boolean;
  /** Why the last try failed; null unless it did. */
  refusal: unknown;
  submit(event?: Event): Promise<void>;
  /** Forgets the refusal. */
  reset(): void;
};

/** A form's or a button's way to the service: once at a time, and what refused it stays until the next try. */
export function useSubmit(act: () => Promise<void>): Submission {
  const { isBusy, run } = useOneAtATime();
  const [refusal, setRefusal] = useState<unknown>(null);
  return {
    isBusy,
    refusal,
    reset: () => setRefusal(null),
    async submit(event) {
      event?.preventDefault();
      await run(async () => {
        setRefusal(null);
        try {
          await act();
        } catch (err) {
          setRefusal(err);
        }
      });
    },
  };
}
