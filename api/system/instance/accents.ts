import { ACCENTS, GROUNDS } from "../../http/page-layout.ts";

/** One colour for each ground of the pages, each with at least 4.5:1 to it: as text on it, and under text of its colour. */
export type Accents = { light: string; dark: string };

/** WCAG 2.2, 1.4.3. */
const LEAST_CONTRAST = 4.5;
const STEPS = 100;
const BLACK: Colour = [0, 0, 0];
const WHITE: Colour = [255, 255, 255];

type Colour = readonly [red: number, green: number, blue: number];

/** Keeps the colour where its contrast suffices, and otherwise darkens or lightens it as little as that takes. Null: livecore's own. */
export function accentsOf(accent: string | null): Accents {
  if (accent === null) return ACCENTS;
  return {
    light: readableOn(GROUNDS.light, accent, BLACK),
    dark: readableOn(GROUNDS.dark, accent, WHITE),
  };
}

function readableOn(grounds: readonly string[], accent: string, towards: Colour): string {
  const [wanted, behind] = [colourFrom(accent), grounds.map(colourFrom)];
  const mixes = Array.from({ length: STEPS + 1 }, (_, step) => mixed(wanted, towards, step / STEPS));
  const found = mixes.find((mix) => behind.every((ground) => contrast(mix, ground) >= LEAST_CONTRAST));
  return hexOf(found ?? towards);
}

const mixed = ([r, g, b]: Colour, [r2, g2, b2]: Colour, share: number): Colour => [
  Math.round(r + (r2 - r) * share),
  Math.round(g + (g2 - g) * share),
  Math.round(b + (b2 - b) * share),
];

/** From #rgb or #rrggbb. */
function colourFrom(hex: string): Colour {
  const digits = hex.length === 4 ? hex.slice(1).replaceAll(/./g, "$&$&") : hex.slice(1);
  const value = Number.parseInt(digits, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

const hexOf = (colour: Colour): string =>
  `#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** WCAG's ratio, 1 to 21. */
export function contrastOf(one: string, other: string): number {
  return contrast(colourFrom(one), colourFrom(other));
}

function contrast(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Colour): number {
  const linear = (part: number) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
