/** The number of hues; neighbouring ones can still be distinguished. */
const HUES = 24;

/**
 * The hue of a name, the same everywhere. Only the hue depends on the name: the theme sets the lightness, so that each is
 * readable.
 */
export function hueOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return (hash % HUES) * (360 / HUES);
}
