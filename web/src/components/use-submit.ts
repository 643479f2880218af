import { useState } from "preact/hooks";

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
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  return {
    isBusy,
    refusal,
    reset: () => setRefusal(null),
    async submit(event) {
      event?.preventDefault();
      if (isBusy) return;
      setBusy(true);
      setRefusal(null);
      try {
        await act();
      } catch (err) {
        setRefusal(err);
      }
      setBusy(false);
    },
  };
}
