/** Of the texts, which the pages' documents name as their language, and of numbers, money and lengths of time. */
export const LOCALE = "en";
/** Of dates: days before months, and 24 hours. */
export const DATE_LOCALE = "en-GB";
