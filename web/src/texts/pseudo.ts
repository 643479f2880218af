import { EN } from "./en.ts";
import type { Texts } from "./texts.ts";

const ACCENTS: Record<string, string> = {
  a: "á",
  e: "é",
  i: "í",
  o: "ó",
  u: "ú",
  A: "Á",
  E: "É",
  O: "Ó",
  y: "ý",
  c: "ç",
};
const LONGER = 1 / 3;

const disguise = (text: string): string => {
  const accented = [...text].map((letter) => ACCENTS[letter] ?? letter).join("");
  return `${accented} ${"~".repeat(Math.max(1, Math.round(text.length * LONGER) - 1))}`;
};

/** The same keys with other texts. */
export function disguised<Part>(part: Part): Part {
  if (typeof part === "string") return disguise(part) as Part;
  if (typeof part === "function") return ((...args: unknown[]) => disguise(String(part(...args)))) as Part;
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(disguised) as Part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, disguised(value)])) as Part;
}

/** A language for specs: English a third longer, with accents. */
export const PSEUDO: Texts = disguised(EN);
