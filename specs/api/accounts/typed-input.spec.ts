import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { codeAt } from "../../../actors/accounts/two-factor/one-time-codes.ts";
import { readOpenApi } from "../../../contract/openapi-document.ts";
import { EMAIL_PATTERN, LONGEST_TYPED, TYPED_INPUT } from "../../../contract/typed-input.ts";
import { movableClock } from "../../support/clock.ts";
import { mailboxOf, tokenIn } from "../../support/mailbox.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const PASSWORD = "a long phrase for specs";
const STEP_MS = 30_000;
const newName = () => `t_${randomBytes(8).toString("hex")}`;
const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));

/** What keyboards, address books and clipboards leave around a text. */
const AROUND: [string, string][] = [
  [" ", ""],
  ["", " "],
  ["", "\n"],
  ["\t", "\r\n"],
  ["\u00a0", "\u3000"],
  ["\u202a", "\u202c"],
  ["\ufeff", "\u200b"],
  ["", "\u{e0000}"],
  ["\u2800", "\u{1d159}"],
  ["\ufff9", "\u{1ffff}"],
];
/** The digits of all scripts that CLDR knows. */
const DIGITS = Intl.supportedValuesOf("numberingSystem")
  .map((system) => {
    const format = new Intl.NumberFormat("en", { numberingSystem: system, useGrouping: false });
    return Array.from({ length: 10 }, (_, digit) => format.format(digit));
  })
  .filter((digits) => digits.every((digit) => /^\p{Nd}$/u.test(digit)));

/** Addresses that HTML's rule takes, and what is stored; `$` is a name of its own. */
const ADDRESSES: [string, string][] = [
  ["o'brien@$.example", "o'brien@$.example"],
  ["a.b+c/d=e!f#g@$.example", "a.b+c/d=e!f#g@$.example"],
  ["x@$.xn--p1ai", "x@$.xn--p1ai"],
  ["x@$.рф", "x@$.xn--p1ai"],
  ["$@пример.онлайн", "$@xn--e1afmkfd.xn--80asehdb"],
  ["x@$。中国", "x@$.xn--fiqs8s"],
  ["x@$.한국", "x@$.xn--3e0b707e"],
  ["x@$.भारत", "x@$.xn--h2brj9c"],
  ["$@bücher.example", "$@xn--bcher-kva.example"],
  ["$＠ｅｘａｍｐｌｅ．ｏｒｇ", "$@example.org"],
];
const NO_ADDRESSES = [
  "x",
  "@example.org",
  "x@",
  "x@localhost",
  "two..dots@a.example",
  ".x@a.example",
  "x@127.0.0.1",
  "x@-a.example",
  "x@a_b.example",
  "x y@a.example",
  "x@a..example",
  "ü@a.example",
  "x@é.example/evil?x#y",
  "x@é.example%2eorg",
  "x@%C3%A9é.example",
  "x@é\\.example",
  "x@é.exa\u00admple",
  `${"x".repeat(65)}@a.example`,
];

/** Every schema within, at whatever depth, that says what people type into it. */
function typedSchemas(within: unknown): Record<string, unknown>[] {
  if (typeof within !== "object" || within === null) return [];
  const inner = Object.values(within).flatMap(typedSchemas);
  return "x-typed" in within ? [{ ...within }, ...inner] : inner;
}

describe("names, addresses and codes as people type them", function () {
  this.timeout(60_000);
  const { world } = setUpWorld({ clock: movableClock(), sendsMails: true });
  const bearer = () => world.api.with({ "x-auth-mode": "bearer" });
  const register = (username: string, email: string) =>
    bearer().call("register", { body: { username, email, password: PASSWORD } });
  const login = async (typed: string) =>
    (await bearer().call("login", { body: { login: typed, password: PASSWORD } })).status;

  it("ignores what surrounds a name or an address at sign-up, sign-in and reset", async () => {
    const mailbox = mailboxOf(world);
    for (const [before, after] of AROUND) {
      const [username, email] = [newName(), `${newName()}@example.org`];
      const made = await register(before + username + after, before + email + after);
      expect(made.status, JSON.stringify([before, after, made.details])).equal(201);
      expect(Object(made.body).user).include({ username, email });

      expect(await login(before + username + after)).equal(200);
      expect(await login(before + email.toUpperCase() + after)).equal(200);
      expect(await login(fullWidth(username))).equal(200);

      await bearer().ok("forgotPassword", { body: { email: before + email + after } });
      const token = tokenIn(await mailbox.next(email, /password/i));
      const reset = { token: before + token + after, password: PASSWORD };
      expect((await bearer().call("resetPassword", { body: reset })).status).equal(204);
      world.clock.move(61_000);
    }
  });

  it("takes the addresses that HTML takes, in the form that mail is sent to", async () => {
    for (const [pattern, stored] of ADDRESSES) {
      const own = newName().replace("_", "");
      const [typed, email] = [pattern.replace("$", own), stored.replace("$", own)];
      const answer = await register(newName(), typed);
      expect(answer.status, `${typed} ${JSON.stringify(answer.details)}`).equal(201);
      expect(Object(answer.body).user.email).equal(email);
      expect(await login(typed), typed).equal(200);
    }
    for (const email of NO_ADDRESSES)
      expect((await register(newName(), email)).code, email).equal("validation_failed");
  });

  it("takes a code in groups, in full width, and in the digits of every script", async () => {
    const account = await register(newName(), `${newName()}@example.org`);
    const { user, access_token: token } = Object(account.body);
    const api = world.api.as({ token });
    const { secret, recovery_codes: recovery = [] } = await api.ok("setUpTwoFactor");
    const code = () => codeAt(secret, world.clock.now());
    await api.ok("verifyTwoFactor", { body: { code: `${code().slice(0, 3)} ${code().slice(3)} ` } });

    const spellings = [
      (six: string) => `${six} `,
      (six: string) => ` ${six.slice(0, 3)}\u00a0${six.slice(3)}\n`,
      (six: string) => `${six.slice(0, 3)}-${six.slice(3)}`,
      fullWidth,
      (six: string) => six.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
    ];
    for (const spell of spellings) {
      world.clock.move(STEP_MS);
      const { two_factor_token } = await bearer().ok("login", {
        body: { login: user.username, password: PASSWORD },
      });
      const body = { two_factor_token, code: spell(code()) };
      expect((await bearer().call("finishLogin", { body })).status, body.code).equal(200);
    }
    const { two_factor_token } = await bearer().ok("login", {
      body: { login: user.username, password: PASSWORD },
    });
    const body = { two_factor_token, code: ` ${fullWidth(String(recovery[0]).toUpperCase())}\n` };
    expect((await bearer().call("finishLogin", { body })).status, body.code).equal(200);
  });

  it("makes no other address of a host with any sign in it", () => {
    const accepted: string[] = [];
    for (let code = 0x20; code <= 0x10ffff; code++) {
      const sign = String.fromCodePoint(code);
      if (/^[\p{L}\p{M}\p{N}.\u3002-]*$/u.test(sign.normalize("NFKC"))) continue;
      const email = TYPED_INPUT.email(`x@é.exa${sign}mple`);
      if (new RegExp(EMAIL_PATTERN).test(email)) accepted.push(code.toString(16));
    }
    expect(accepted).deep.equal([]);
  });

  it("takes no text in any field that is too long to be read", () => {
    const long = "1".repeat(LONGEST_TYPED + 1);
    const fields = typedSchemas(readOpenApi());
    expect(fields.length).above(8);
    for (const { maxLength, pattern } of fields) {
      const isRefused = typeof maxLength === "number" && maxLength <= LONGEST_TYPED / 4;
      expect(isRefused || (typeof pattern === "string" && !new RegExp(pattern, "u").test(long))).equal(true);
    }
  });

  it("knows the value of every script's digits", () => {
    expect(DIGITS.length).above(50);
    for (const digits of DIGITS) expect(TYPED_INPUT.code(digits.join(""))).equal("0123456789");
  });
});
