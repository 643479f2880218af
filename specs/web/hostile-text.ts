/** Runs where it is taken for markup, which the page's policy then complains about. */
const MARKUP = "<img src=x onerror=x()>";

/** A text of that many characters from right to left, with markup, and as wide as it is long. `of` tells it from others. */
export const hostileText = (of: string, length: number): string =>
  `שלום${MARKUP}${of}`.padEnd(length, "x").slice(0, length);

/** As it, in one direction: names of badges may not mix scripts, and a list begins with it. */
export const hostileName = (of: string, length: number): string => `${MARKUP}${of}`.padEnd(length, "x");

/** The selector of a page that shows it as a text. */
export const pageWith = (of: string): string => `main:has-text("${MARKUP}${of}")`;
