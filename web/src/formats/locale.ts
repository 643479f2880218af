/** Of the texts, which the pages' documents name as their language, and of numbers and money. */
export const LOCALE = "en";
/** Of dates: days before months, and 24 hours. */
export const DATE_LOCALE = "en-GB";
