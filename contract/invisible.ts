/**
 * What shows nothing, as members of a class in expressions with the flag `u` or `v`. Marks aren't among it, since one belongs to the
 * letter before it. The patterns of requests (`text-patterns.ts`) have the same as ranges, without controls of direction; a spec
 * compares both.
 */

/** Without a glyph: zero-width, soft hyphens, variation selectors, direction controls, tags, fillers, annotations, noncharacters. */
export const HIDDEN = String.raw`\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB`;
/** Letters and signs whose glyph is empty: the Braille, hieroglyphic and musical blanks. No property of Unicode has them. */
export const EMPTY_GLYPHS = String.raw`\u2800\u{13441}\u{13442}\u{1D159}`;
/** What looks like a space. */
export const BLANK = String.raw`\p{White_Space}${EMPTY_GLYPHS}`;
