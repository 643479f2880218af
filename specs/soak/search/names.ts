/** Made-up names and titles that share words as real ones do: few words are in very many, most in few. */
const SYLLABLES = "ka ri to ma shi no el dra vex lu mi nor qua zen tor bi fa gro hy jin pel su wo ax "
  .trim()
  .split(" ");
const POPULAR = "gaming live official the stream music just chatting pro tv night speed run art code".split(
  " ",
);

const WORDS = 5_000;

export type Names = { username(): string; title(): string; word(): string };

export function namesFrom(random: () => number): Names {
  const below = (most: number) => Math.floor(random() * most);
  const one = <T>(all: readonly T[]): T => {
    const found = all[below(all.length)];
    if (found === undefined) throw new Error("there is nothing to pick from");
    return found;
  };
  const made = () => Array.from({ length: 2 + below(3) }, () => one(SYLLABLES)).join("");
  const words = [...POPULAR, ...new Set(Array.from({ length: WORDS }, made))];
  /** Zipf distributed: the second one is half as frequent as the first, and so on. */
  const word = () => words[Math.floor(words.length ** random()) - 1] ?? one(words);
  const taken = new Set<string>();
  function username(): string {
    for (;;) {
      const stem = random() < 0.4 ? `${word()}_${made()}` : `${made()}${made()}`;
      const name = `${stem}${random() < 0.5 ? below(1_000) : ""}`.slice(0, 25);
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  }
  return {
    username,
    word,
    title: () => Array.from({ length: 2 + below(4) }, word).join(" "),
  };
}
