/** Full turns of the colour wheel are cut into so many; neighbours can still be told apart. */
const HUES = 24;

/** The same name has the same colour everywhere. The hue alone is its own: lightness is the theme's, so that each can be read. */
export function hueOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return (hash % HUES) * (360 / HUES);
}
