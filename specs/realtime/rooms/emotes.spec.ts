import { expect } from "chai";
import { emoteSet, emotesIn, type RoomEmote } from "../../../realtime/rooms/config/emotes.ts";

const emote = (name: string, minTier = 0): RoomEmote => ({
  id: `id of ${name}`,
  name,
  minTier,
  isGlobal: false,
  url: `https://livecore.example/files/${"a".repeat(64)}.webp`,
});

describe("emotes in a text", () => {
  const set = emoteSet([emote("Pog"), emote("Kappa"), emote("Gold", 3)]);
  const placedIn = (content: string, tier = 0) => emotesIn(content, (name) => set.find(name, tier)).placed;
  /** What clients cut out by the positions. */
  const cut = (content: string) =>
    placedIn(content).map(({ name, start_pos = 0, end_pos = 0 }) => [
      name,
      [...content].slice(start_pos, end_pos).join(""),
    ]);

  it("are placed by code points, whatever stands before them", () => {
    const before = [
      "",
      "  ",
      "hello ",
      // Outside the plane where one unit is one character; a family of joined ones; a flag.
      "😀 ",
      "👨‍👩‍👧‍👦🇩🇪 ",
      "𝔭𝔬𝔤 𠜎 ",
      // Combining marks are code points of their own.
      "e\u0301\u0323 ",
      `a${"\u0301".repeat(200)} `,
      // Spaces that aren't the one.
      "x\u00a0\u3000\u2003",
      "مرحبا ",
    ];
    for (const text of before) {
      const content = `${text}Pog 😀 Kappa`;
      const start = [...text].length;
      expect(cut(content), JSON.stringify(text)).deep.equal([
        ["Pog", "Pog"],
        ["Kappa", "Kappa"],
      ]);
      expect(placedIn(content)[0]).include({ start_pos: start, end_pos: start + 3 });
    }
  });

  it("are whole words, by their exact name, or between colons", () => {
    for (const other of ["pog", "Pogs", "Pog!", "(Pog)", "Po\u200bg", "Ｐｏｇ", ":pog:", "::Pog::", ":Pog"])
      expect(placedIn(other), other).deep.equal([]);
    expect(cut("say :Pog: now")).deep.equal([["Pog", ":Pog:"]]);
    for (const inherited of ["constructor", "__proto__", "toString"])
      expect(placedIn(inherited)).deep.equal([]);
  });

  it("need the author's tier where they ask for one", () => {
    expect([0, 1, 2, 3].map((tier) => placedIn("Gold", tier).length)).deep.equal([0, 0, 0, 1]);
  });

  it("are at most fifty of a message, and few bytes; all count as emotes", () => {
    const content = "Pog ".repeat(125).trim();
    const { placed, others } = emotesIn(content, (name) => set.find(name, 0));
    expect([placed.length, others.length]).deep.equal([50, 0]);
    expect(JSON.stringify(placed).length).below(16 * 1024);
  });

  it("are found in a time that grows with the text and no faster", () => {
    const timed = (words: number) => {
      const content = "😀x ".repeat(words);
      const begun = performance.now();
      placedIn(content);
      return performance.now() - begun;
    };
    timed(10_000);
    const [small, large] = [timed(20_000), timed(200_000)];
    // Ten times the text; a hundred times the time if it grew with its square.
    expect(large).below(Math.max(small, 5) * 40);
  });
});
