/**
 * Characters that a terminal interprets: they could hide, move or rewrite the text around them, as those of text direction
 * could.
 */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** Makes text from arguments or stores safe for a line on an operator's terminal: control characters are written as \uXXXX. */
export const printable = (text: string): string =>
  text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
