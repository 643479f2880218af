import { chosenLanguage } from "../site/language.ts";
import { EN_CONSOLE } from "./en-console.ts";

type ConsoleTexts = typeof EN_CONSOLE;

const LANGUAGES: Record<string, () => Promise<ConsoleTexts>> = {
  en: async () => EN_CONSOLE,
  pseudo: async () => (await import("./pseudo.ts")).disguised(EN_CONSOLE),
};

/**
 * The texts of the console in the viewer's language. Its pages alone load them: the language has been chosen by then, and a page is shown
 * once its script has all that it waits for.
 */
export const CONSOLE_TEXTS: ConsoleTexts = (await LANGUAGES[chosenLanguage()]?.()) ?? EN_CONSOLE;
