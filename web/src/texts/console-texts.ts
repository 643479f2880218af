import { EN_CONSOLE } from "./en-console.ts";
import { LANGUAGE } from "./texts.ts";

type ConsoleTexts = typeof EN_CONSOLE;

const BY_LANGUAGE: Record<string, () => Promise<ConsoleTexts>> = {
  en: async () => EN_CONSOLE,
  pseudo: async () => (await import("./pseudo.ts")).disguised(EN_CONSOLE),
};

/**
 * The texts of the console in the viewer's language. Its pages alone load them: the language has been chosen by then, and a page is shown
 * once its script has all that it waits for.
 */
export const CONSOLE_TEXTS: ConsoleTexts = (await BY_LANGUAGE[LANGUAGE]?.()) ?? EN_CONSOLE;
