import type { Verdict } from "../../stress/checker/verdict.ts";
import type { Figures } from "../../stress/scenario.ts";

/** What a verdict comes to in numbers, for the line that is kept. */
export function figuresOf({ examples: _examples, ...numbers }: Verdict): Figures {
  return numbers;
}
