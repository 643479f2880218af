/**
 * Scripts with marks that are letters. Marks of scripts that aren't here, younger than what the oldest supported Node knows, count
 * as foreign everywhere; a spec compares the list with Unicode's data.
 */
const SCRIPTS = [
  "Adlam Ahom Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo Brahmi Buginese Buhid Chakma",
  "Cham Coptic Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Ethiopic Glagolitic Grantha",
  "Gujarati Gunjala_Gondi Gurmukhi Han Hanifi_Rohingya Hanunoo Hiragana Javanese Kaithi Kannada",
  "Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Lao Lepcha Limbu",
  "Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Meetei_Mayek Mende_Kikakui Miao",
  "Modi Mongolian Myanmar Nag_Mundari Nandinagari Newa Nko Nyiakeng_Puachue_Hmong Old_Permic Old_Uyghur",
  "Oriya Pahawh_Hmong Rejang Samaritan Saurashtra Sharada Siddham SignWriting Sinhala Sogdian Soyombo",
  "Sundanese Syloti_Nagri Tagalog Tagbanwa Tai_Tham Tai_Viet Takri Tamil Telugu Thaana Thai Tibetan",
  "Tifinagh Tirhuta Toto Wancho Yezidi Zanabazar_Square",
].flatMap((names) => names.split(" "));

const MARK = /[\p{Mn}\p{Me}]/u;
const MARKED = /([^\p{Mn}\p{Me}]?)([\p{Mn}\p{Me}]+)/gu;

type Script = { has(character: string): boolean };
const ALL: readonly Script[] = SCRIPTS.map((name) => {
  const pattern = new RegExp(`\\p{scx=${name}}`, "u");
  return { has: (character) => pattern.test(character) };
});

/** By mark. Unicode has some 2,000 of them, so the map stays small. */
const scriptsOfMarks = new Map<string, readonly Script[]>();

function scriptsOf(mark: string): readonly Script[] {
  const known = scriptsOfMarks.get(mark) ?? ALL.filter((script) => script.has(mark));
  scriptsOfMarks.set(mark, known);
  return known;
}

/** A text without marks whose script isn't that of the character they stand on: next to it they mean nothing, and hardly show. */
export function withoutForeignMarks(text: string): string {
  if (!MARK.test(text)) return text;
  const own = text.replace(MARKED, (_, base: string, marks: string) => {
    const read = Array.from(marks).filter((mark) => scriptsOf(mark).some((script) => script.has(base)));
    return base + read.join("");
  });
  // A mark composes with its letter once nothing stands between them.
  return own.normalize("NFC");
}
