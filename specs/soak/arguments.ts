/** `npm run soak -- <set> [scenario …] [--seed N] [--scale 0.1] [--out FILE]`. */
export type SoakArguments = {
  set: string;
  /** Empty: all of the set. */
  names: string[];
  seed: number;
  scale: number;
  out: string;
};

export const USAGE = "npm run soak -- <set> [scenario …] [--seed N] [--scale 0.1] [--out FILE]";

/** Throws an Error with a sentence about the mistake. */
export function parseArguments(args: string[], defaults: { seed: number; out: string }): SoakArguments {
  const parsed: SoakArguments = { set: "", names: [], scale: 1, ...defaults };
  const words: string[] = [];
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith("--")) words.push(word);
    else if (word === "--seed") parsed.seed = numberFrom(word, rest.shift(), Number.isSafeInteger);
    else if (word === "--scale") parsed.scale = numberFrom(word, rest.shift(), (n) => n > 0 && n <= 10);
    else if (word === "--out") parsed.out = rest.shift() ?? "";
    else throw new Error(`There is no option ${word}. ${USAGE}`);
  }
  const [set = "", ...names] = words;
  if (set === "" || parsed.out === "") throw new Error(USAGE);
  return { ...parsed, set, names };
}

function numberFrom(option: string, text: string | undefined, fits: (n: number) => boolean): number {
  const number = Number(text ?? Number.NaN);
  if (!fits(number)) throw new Error(`${option} can't be ${text ?? "left open"}. ${USAGE}`);
  return number;
}
