import { EN_STAFF } from "./en-staff.ts";
import { LANGUAGE } from "./texts.ts";

type StaffTexts = typeof EN_STAFF;

const BY_LANGUAGE: Record<string, () => Promise<StaffTexts>> = {
  en: async () => EN_STAFF,
  pseudo: async () => (await import("./pseudo.ts")).disguised(EN_STAFF),
};

/** The texts of staff pages in the reader's language, which their pages alone load, as the console's (`console-texts.ts`). */
export const STAFF_TEXTS: StaffTexts = (await BY_LANGUAGE[LANGUAGE]?.()) ?? EN_STAFF;
