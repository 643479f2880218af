/** Mulberry32: a small seeded generator, so that a demo can be repeated. Returns floats in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const OPENERS = ["that was", "what a", "no way,", "calling it:", "chat,", "honestly", "wait,", "ok"];
const MIDDLES = ["clean", "wild", "the best run", "pure luck", "a classic", "so close", "unreal", "planned"];
const ENDS = ["!", " lol", " 🔥", " gg", " 👏", "…", " again", " tonight"];

export function chatLine(random: () => number, serial: number): string {
  const pick = (words: string[]) => words[Math.floor(random() * words.length)] ?? "";
  return `${pick(OPENERS)} ${pick(MIDDLES)}${pick(ENDS)} #${serial}`;
}
