/** What has no ink: zero-width characters, soft hyphens, variation selectors, controls of direction, tags. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu;
/** Marks of no script that found no letter to become one with: strokes through letters, and heaps of them. */
const STRAY_MARKS = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]+/gu;
const PLAIN = /^[\x20-\x7E]*$/;
const SPACES = /\s+/gu;

const SMALL_CAPITALS = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡ";
const THEIR_LETTERS = "abcdefghijklmnoprstuvwyzag";
/** Alphabets in circles and squares for which Unicode names no letter. */
const DRESSED = /[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}]|[ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡ]/gu;

function undressed(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x1_0000) return THEIR_LETTERS.charAt(SMALL_CAPITALS.indexOf(letter));
  return String.fromCharCode(0x61 + ((code - 0x1_f150) % 0x20));
}

/** What regular expressions are held against: compatible forms are one (NFKC), and nothing is hidden. */
export function visibleText(content: string): string {
  if (PLAIN.test(content)) return content;
  return content
    .replace(INVISIBLE, "")
    .normalize("NFKC")
    .replace(INVISIBLE, "")
    .replace(STRAY_MARKS, "")
    .replace(DRESSED, undressed);
}

/** A visible text as words are compared: without case, and with single spaces. */
export function foldedText(visible: string): string {
  const lower = PLAIN.test(visible)
    ? visible.toLowerCase()
    : // Upper case first, which makes one of letters that have several small forms (ß, ſ, ς, ı).
      visible.toUpperCase().toLowerCase().replaceAll("ς", "σ").replace(STRAY_MARKS, "");
  return lower.replace(SPACES, " ");
}

/** A folded text without accents, as names and titles are searched. Voicing marks of kana and vowels of Thai are letters, and stay. */
export const withoutAccents = (folded: string): string =>
  PLAIN.test(folded) ? folded : folded.normalize("NFD").replace(STRAY_MARKS, "").normalize("NFC");
