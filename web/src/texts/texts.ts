import { setEmbeddedTexts } from "./embedded.ts";
import { EN } from "./en.ts";

/** What each language has a text for. */
export type Texts = typeof EN;

/** The texts in the viewer's language. Read when something is shown, not when a module is loaded. */
export let TEXTS: Texts = EN;

/** The language of the texts. */
export let LANGUAGE = "en";

/** Before anything is shown. */
export function setTexts(texts: Texts, language: string): void {
  TEXTS = texts;
  LANGUAGE = language;
  setEmbeddedTexts(texts);
}
