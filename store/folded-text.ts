/** Invisible characters: zero-width, soft hyphens, variation selectors, direction controls, tags. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu;
/** Combining marks that don't belong to a script and didn't compose with a letter: strokes, and stacks of marks. */
const STRAY_MARKS = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]+/gu;
const PLAIN = /^[\x20-\x7E]*$/;
const SPACES = /\s+/gu;

const SMALL_CAPITALS = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡ";
const PLAIN_LETTERS = "abcdefghijklmnoprstuvwyzag";
/** Letters in circles and squares that NFKC doesn't map to plain letters. */
const STYLED = /[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}]|[ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡ]/gu;

function unstyled(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x1_0000) return PLAIN_LETTERS.charAt(SMALL_CAPITALS.indexOf(letter));
  return String.fromCharCode(0x61 + ((code - 0x1_f150) % 0x20));
}

/** The text that regexes are matched against: compatible forms are unified (NFKC), and nothing is hidden. */
export function visibleText(content: string): string {
  if (PLAIN.test(content)) return content;
  return content
    .replace(INVISIBLE, "")
    .normalize("NFKC")
    .replace(INVISIBLE, "")
    .replace(STRAY_MARKS, "")
    .replace(STYLED, unstyled);
}

/** A visible text for comparing words: without case, and with single spaces. */
export function foldedText(visible: string): string {
  const lower = PLAIN.test(visible)
    ? visible.toLowerCase()
    : // Upper case first: it merges letters that have several lower-case forms (ß, ſ, ς, ı).
      visible.toUpperCase().toLowerCase().replaceAll("ς", "σ").replace(STRAY_MARKS, "");
  return lower.replace(SPACES, " ");
}

/** A folded text without accents, for searching names and titles. Kana voicing marks and Thai vowels are letters, and stay. */
export const withoutAccents = (folded: string): string =>
  PLAIN.test(folded) ? folded : folded.normalize("NFD").replace(STRAY_MARKS, "").normalize("NFC");
