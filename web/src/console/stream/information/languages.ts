import { LOCALE } from "../../../formats/locale.ts";
import type { Schemas } from "../../../site/page-data.ts";

type Language = Schemas["Language"];

/** Languages in which people broadcast. The service knows all others of ISO 639-1, too. */
const OFFERED: readonly Language[] = [
  ...(["ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr"] as const),
  ...(["ga", "gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "ko"] as const),
  ...(["lt", "lv", "mk", "mr", "ms", "nl", "no", "pa", "pl", "pt", "ro", "ru", "sk", "sl", "sq"] as const),
  ...(["sr", "sv", "sw", "ta", "te", "th", "tl", "tr", "uk", "ur", "uz", "vi", "zh"] as const),
];

export const languageFrom = (code: string): Language | null => OFFERED.find((one) => one === code) ?? null;

/** Each with its name, by name; with the one that is chosen so far, whichever it is. */
export function languagesWith(chosen: string | null): { code: string; name: string }[] {
  const names = new Intl.DisplayNames(LOCALE, { type: "language" });
  const codes = new Set<string>([...OFFERED, ...(chosen === null ? [] : [chosen])]);
  return [...codes]
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((a, b) => a.name.localeCompare(b.name, LOCALE));
}
