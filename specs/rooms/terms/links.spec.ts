import { expect } from "chai";
import { hasLink } from "../../../realtime/rooms/config/links.ts";

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
    ],
  ];
  for (const text of links) it(`is in "${text}"`, () => expect(hasLink(text)).equal(true));

  const others = [
    ...["hello.world", "e.g.this", "ok.so what", "it.is", "node.js is", "readme.md", "main.py", "p.m. today"],
    ...[
      "v1.2.3",
      "3.14",
      "1.5/2",
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
