import { setEmbeddedTexts } from "./embedded.ts";
import { EN } from "./en.ts";

/** What each language has a text for. */
export type Texts = typeof EN;

/** The texts in the viewer's language. Read when something is shown, not when a module is loaded. */
export let TEXTS: Texts = EN;

/** Before anything is shown. */
export function setTexts(texts: Texts): void {
  TEXTS = texts;
  setEmbeddedTexts(texts);
}
