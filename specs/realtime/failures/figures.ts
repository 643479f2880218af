import type { Verdict } from "../../stress/checker/verdict.ts";
import type { Figures } from "../../stress/scenario.ts";

/** The numbers of a verdict, for the line that is recorded. */
export function figuresOf({ examples: _examples, ...numbers }: Verdict): Figures {
  return numbers;
}
