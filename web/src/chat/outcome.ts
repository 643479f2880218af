import { useState } from "preact/hooks";
import { useOneAtATime } from "../components/one-at-a-time.ts";
import { problemOf } from "../site/problems.ts";

/** What came of the last act in a dialog, where the page's own messages can't be heard. */
export type Outcome = { text: string; isProblem: boolean };
type Attempts = {
  outcome: Outcome | null;
  isBusy: boolean;
  attempt: Attempt;
};
export type Attempt = (work: () => Promise<unknown>, done: string) => Promise<boolean>;

/** Tries acts one by one, and says what came of them. Resolves with whether it was done. */
export function useAttempts(): Attempts {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { isBusy, run } = useOneAtATime();
  const attemptOne = async (work: () => Promise<unknown>, done: string): Promise<boolean> => {
    try {
      await work();
      setOutcome({ text: done, isProblem: false });
      return true;
    } catch (err) {
      setOutcome({ text: problemOf(err), isProblem: true });
      return false;
    }
  };
  const attempt: Attempt = async (work, done) => (await run(() => attemptOne(work, done))) ?? false;
  return { outcome, isBusy, attempt };
}
