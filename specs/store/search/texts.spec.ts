import { expect } from "chai";
import fc from "fast-check";
import { lookupsOf } from "../../../actors/discovery/search/lookups.ts";
import { matchOf } from "../../../actors/discovery/search/match.ts";
import { keysOf, type SearchKind } from "../../../base/search/keys.ts";
import { searchText } from "../../../base/search/words.ts";

const match = (q: string, text: string) => matchOf(searchText(q), text);

/** Whether a lookup that is made for the query meets the keys of the text. */
function isProposed(q: string, text: string, kind: SearchKind): boolean {
  const keys = new Set(keysOf(text, kind));
  const { plain, typos } = lookupsOf(searchText(q), kind, 10);
  return [...plain, ...typos].some(({ anyOf }) => anyOf.some((key) => keys.has(key)));
}

const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz");
const word = (least: number, most: number) =>
  fc.array(letter, { minLength: least, maxLength: most }).map((letters) => letters.join(""));

/** One letter more, less, another one, or two that changed places. */
const edit = fc.record({ kind: fc.constantFrom("more", "less", "other", "swapped"), at: fc.nat(), letter });
function edited(
  text: string,
  { kind, at: where, letter: other }: { kind: string; at: number; letter: string },
) {
  const at = where % text.length;
  const [before, after] = [text.slice(0, at), text.slice(at)];
  if (kind === "more") return before + other + after;
  if (kind === "less") return before + after.slice(1);
  if (kind === "other") return before + other + after.slice(1);
  return before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2);
}

describe("how names and titles are searched", () => {
  it("is without case, accents, signs and compatible forms", () => {
    for (const [q, text] of [
      ["strasse", "STRAßE"],
      ["straße", "STRAẞE"],
      ["שלום", "שָׁלוֹם"],
      ["سلام", "سَلَـــام"],
      ["کتاب", "كتاب"],
      ["istanbul", "İstanbul"],
      ["cafe", "Ｃａｆé"],
      ["dont stop", "Don’t stop!"],
      ["drwho", "Dr. Who"],
      ["dr who", "dr_who"],
      ["σοφια", "Σοφίας".slice(0, 5)],
      ["が", "が"],
    ] as const)
      expect(match(q, text), `${q}: ${text}`).equal("exact");
    expect(match("か", "が")).equal(null);
    expect(match("कल", "कील")).equal(null);
  });

  it("is by beginnings of words, in any order", () => {
    expect(match("chat", "Just Chatting with viewers")).equal("prefix");
    expect(match("viewers just", "Just Chatting with viewers")).equal("prefix");
    expect(match("justch", "Just Chatting with viewers")).equal("prefix");
    expect(match("atting", "Just Chatting with viewers")).equal(null);
    expect(match("just singing", "Just Chatting with viewers")).equal(null);
  });

  it("is by every place of a text without spaces", () => {
    expect(match("ライブ", "東京ライブ配信 Live")).equal("prefix");
    expect(match("配信live", "東京ライブ配信 Live")).equal(null);
    expect(match("live", "東京live配信")).equal("prefix");
    expect(match("ラブ", "東京ライブ配信")).equal(null);
    expect(keysOf("東京ライブ配信", "title")).include.members(["ライ", "配信"]);
    expect(match("ครับ", "สวัสดีครับ")).equal("prefix");
  });

  it("forgives one error in a word of four letters, and in the beginning of a longer one", () => {
    expect(match("shruod", "Shroud")).equal("typo");
    expect(match("jsut chatting", "Just Chatting")).equal("typo");
    expect(match("minecarf", "Minecraft survival")).equal("typo in prefix");
    expect(match("abc", "abd")).equal(null);
    expect(match("jsut chattign", "Just Chatting")).equal(null);
    expect(match("東京ラ", "東京ル")).equal(null);
  });

  it("has no keys, and no lookups that find anything, for what has neither letter nor digit", () => {
    expect(keysOf("!!! 🎉", "title")).deep.equal([]);
    expect(searchText(" $.*+?^{}()|[]\\ ").compact).equal("");
  });

  it("has a bounded number of keys, whatever a title is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 140 }), (title) => {
        expect(keysOf(title, "title").length).most(120);
      }),
    );
    expect(keysOf(Array.from({ length: 40 }, (_, n) => `word${n}`).join(" "), "title")).length(120);
  });

  it("proposes every beginning of a word", () => {
    fc.assert(
      fc.property(
        fc.array(word(1, 12), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.nat(),
        (words, n, m) => {
          const chosen = words[n % words.length] ?? "";
          const q = chosen.slice(0, 1 + (m % chosen.length));
          expect(isProposed(q, words.join(" "), "title"), q).equal(true);
          expect(match(q, words.join(" "))).oneOf(["exact", "prefix"]);
        },
      ),
    );
  });

  it("holds a query against the longest title in less than a millisecond or so, whatever its signs become", () => {
    // Six letters each, at every one of which a word may begin.
    const longest = "㌖".repeat(140);
    const times = Array.from({ length: 20 }, () => {
      const begun = performance.now();
      expect(match("キロメートルキロ", longest)).equal("prefix");
      return performance.now() - begun;
    });
    expect(Math.min(...times)).below(1.5);
  });

  it("proposes what is one error away, of names and of words", () => {
    fc.assert(
      fc.property(word(5, 14), edit, word(1, 9), (name, error, other) => {
        const typed = edited(name, error);
        expect(isProposed(typed, name, "name"), `${typed} ${name}`).equal(true);
        expect(isProposed(typed, `${other} ${name}`, "title"), `${typed} ${other} ${name}`).equal(true);
        expect(match(typed, name), typed).not.equal(null);
      }),
    );
  });

  it("proposes of long names those alone that are as alike as that", () => {
    const [name, other] = ["thegamingchannel", "thegamingchallenge"];
    const rare = (text: string) =>
      keysOf(text, "name").filter((key) => key.length > 10 && key.startsWith("~"));
    expect(rare(other).filter((key) => rare(name).includes(key))).deep.equal([]);
  });
});
