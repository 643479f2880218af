import { type Scenario, scenario } from "../stress/scenario.ts";
import { runPart } from "./part.ts";

/** Full-size scenarios of the OpenAPI contract; `npm test` generates fewer requests. */
export const CONTRACT: Scenario[] = [
  scenario({
    name: "fuzz",
    about: "requests that are made up, good and bad ones, are answered as the document says",
    sizes: { examples: 50, walks: 1_500 },
    fixed: {},
    run({ seed, examples, walks }, print) {
      const made = [
        "--examples",
        String(examples),
        "--one-limit-of",
        "1",
        "--walks",
        String(walks),
        "--bad-ones",
      ];
      return runPart("specs/runner/fuzz.mjs", ["--seed", String(Math.max(1, seed)), ...made], print);
    },
  }),
];
