import { embedded } from "./en/embedded.ts";

/** The texts of parts of pages that embeds have as well. */
type EmbeddedTexts = typeof embedded;

/** Those texts in the viewer's language; the site has them among its own. Read when something is shown, not when a module is loaded. */
export let TEXTS: EmbeddedTexts = embedded;

/** Before anything is shown. */
export function setEmbeddedTexts(texts: EmbeddedTexts): void {
  TEXTS = texts;
}
