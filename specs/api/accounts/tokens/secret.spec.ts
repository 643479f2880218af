import { expect } from "chai";
import { lookUpHash, newSecret } from "../../../../actors/accounts/tokens/secret.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("a personal API token", () => {
  it("is lc_pat_, 32 random characters and 6 of a checksum, and another one each time", () => {
    const made = Array.from({ length: 1_000 }, newSecret);

    for (const { token, shown, hash } of made) {
      expect(token).match(/^lc_pat_[0-9A-Za-z]{38}$/);
      expect(shown).equal(token.slice(0, 11));
      expect(lookUpHash(token)).equal(hash);
    }
    expect(new Set(made.map(({ token }) => token))).length(1_000);
  });

  it("has each character as often as any other", () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 4_000; i++)
      for (const digit of newSecret().token.slice(7, 39)) counts.set(digit, (counts.get(digit) ?? 0) + 1);

    const mean = (4_000 * 32) / 62;
    // Six standard deviations; the first eight characters would be a quarter likelier without the choice of bytes.
    for (const digit of DIGITS) expect(counts.get(digit), digit).within(mean * 0.87, mean * 1.13);
  });

  it("is looked up by nothing when any of its characters is wrong", () => {
    const { token } = newSecret();

    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "a" ? "b" : "a";
      const mistyped = token.slice(0, at) + other + token.slice(at + 1);
      expect(lookUpHash(mistyped), mistyped).equal(null);
    }
    for (const none of [
      "",
      "lc_pat_",
      token.slice(0, -1),
      `${token}0`,
      ` ${token}`,
      `${token}\n`,
      token.toUpperCase(),
    ])
      expect(lookUpHash(none), none).equal(null);
  });
});
