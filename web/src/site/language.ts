import { EN } from "../texts/en.ts";
import { setTexts, type Texts } from "../texts/texts.ts";

/** `pseudo` is English a third longer, with accents: it shows what has no key, and what has no room. */
const LANGUAGES: Record<string, () => Promise<Texts>> = {
  en: async () => EN,
  pseudo: async () => (await import("../texts/pseudo.ts")).PSEUDO,
};

/** By `?lang=`, which also specs use, or what the browser prefers; English where there is nothing else. */
export async function chooseLanguage(): Promise<void> {
  const asked = new URLSearchParams(location.search).get("lang");
  const wanted = [asked ?? "", ...navigator.languages.map((tag) => tag.split("-")[0] ?? "")];
  const language = wanted.find((name) => Object.hasOwn(LANGUAGES, name)) ?? "en";
  if (language === "en") return;
  const texts = await LANGUAGES[language]?.();
  if (texts) setTexts(texts, language);
  document.documentElement.lang = language === "pseudo" ? "en" : language;
}
