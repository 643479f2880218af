/** Of numbers and money. Texts with numbers in them are in `texts`, lengths of time in `durations.ts`. */
export const LOCALE = "en";
/** Days before months, and 24 hours. */
export const DATE_LOCALE = "en-GB";
