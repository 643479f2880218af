import { domainToASCII } from "node:url";
import { expect } from "chai";
import topLevelDomains from "tlds";
import { hasLink } from "../../../../realtime/rooms/config/links.ts";

describe("A link", () => {
  const links = [
    ...[
      "see example.com",
      "(example.com)",
      "EXAMPLE.COM.",
      "example.com:8080/x",
      "bob@example.com",
      "discord.gg",
    ],
    ...["http://x", "steam://run", "www.foo", "t.me/abc", "youtu.be/x", "hello.world/x", "1.com", "сайт.рф"],
    ...[
      "example。com",
      "ｅｘａｍｐｌｅ．ｃｏｍ",
      "exam\u200bple.c\u200bom",
      "ехample.сом",
      "hey..example.com",
      "例子.中国",
      "회사.한국",
      "привет.онлайн",
      "сайт.xn--p1ai",
      "example.com.so",
      "看example.com吧",
      "مثال.ایران",
      "1.2.3.4/path",
      "10.0.0.1:8080",
      "naver.com에서",
      "evil.com-а",
      "example.com.so에서",
      "例子。中国",
      "例子。中国/x",
      "example.top#x",
    ],
  ];
  for (const text of links) it(`is in "${text}"`, () => expect(hasLink(text)).equal(true));

  const others = [
    ...["hello.world", "e.g.this", "ok.so what", "it.is", "node.js is", "readme.md", "main.py", "p.m. today"],
    ...[
      "v1.2.3",
      "3.14",
      "1.5/2",
      "1.2.3.4",
      "1.2.3.400/x",
      "1.2.2024/x",
      "node.js/x",
      "so.top#",
      "我爱你。中国很大",
      "こんばんは。みんな",
      "main.py에서",
      "merci.frère",
      "ok.größer",
      "and/or.",
      "hi.there/",
      "wait...com",
      "a.b",
      "...",
      "http: //",
      "://",
      "@bob",
    ],
  ];
  for (const text of others) it(`isn't in "${text}"`, () => expect(hasLink(text)).equal(false));

  it("ends in any top-level domain: by itself if that is no word of ASCII, and with a path", () => {
    const own = topLevelDomains.filter((name) => /[^a-z]/.test(name));
    expect(own.length).above(100);
    const names = own.flatMap((name) => [name, domainToASCII(name)]);
    expect(names.filter((name) => !hasLink(`see example.${name}`))).deep.equal([]);
    // The public suffix list leaves out those that were given back.
    const missed = topLevelDomains.filter((name) => !hasLink(`see example.${name}/x`));
    expect(missed.length, missed.join(" ")).below(topLevelDomains.length / 100);
  });

  it("ends before every letter of another script", () => {
    const missed: string[] = [];
    for (let code = 0x80; code <= 0x10ffff; code++) {
      const letter = String.fromCodePoint(code);
      const isOther = /^[\p{L}--\p{sc=Latin}]/v.test(letter.normalize("NFKC"));
      if (isOther && !(hasLink(`evil.com${letter}`) && hasLink(`see evil.com-${letter} it`)))
        missed.push(code.toString(16));
    }
    expect(missed).deep.equal([]);
  });

  it("is looked for in no more time than the text is long", () => {
    for (const text of [
      "a.".repeat(10_000),
      `${".-".repeat(10_000)}a`,
      "www.".repeat(5_000),
      "a:/".repeat(7_000),
    ]) {
      const from = performance.now();
      hasLink(text);
      expect(performance.now() - from).below(2_000);
    }
  });
});
