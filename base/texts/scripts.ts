const PRINTABLE_ASCII = /^[\x20-\x7E]*$/;

/** Whether a text has nothing but printable ASCII, for which most forms are quickly found. */
export const isPlain = (text: string): boolean => PRINTABLE_ASCII.test(text);

/** Scripts without spaces between words: a word may begin at each of their letters. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tai_Tham}\p{sc=Tai_Viet}]/u;

/** Whether the text has a letter of a script without spaces between words. */
export const hasUnspaced = (text: string): boolean => UNSPACED.test(text);
