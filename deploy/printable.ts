/** A terminal obeys them: one could hide, move or rewrite what stands around it. Those of text direction rewrite it too. */
const OBEYED = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** What comes from arguments or stores, for one line of an operator's terminal: what the terminal would obey is spelled out. */
export const printable = (text: string): string =>
  text.replace(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
