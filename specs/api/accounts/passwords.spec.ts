import { expect } from "chai";
import { createPasswords } from "../../../actors/accounts/passwords/passwords.ts";
import { newName, type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

const MAX_WAITING = 30;
/** More than are looked at and may wait. */
const FLOOD = 50;

describe("a full queue of passwords", function () {
  this.timeout(60_000);
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  let opened: Opened;
  before(async () => {
    process.on("unhandledRejection", note);
    opened = await openAccounts({ mostWaiting: MAX_WAITING });
  });
  after(async () => {
    process.off("unhandledRejection", note);
    await opened.close();
  });

  it("refuses known and unknown accounts alike, and remembers no refusal", async () => {
    const passwords = createPasswords({ mostWaiting: MAX_WAITING });
    await passwords.start();
    const stored = await passwords.hash(PASSWORD);
    const looks = { known: stored, unknown: null };
    const flood = Array.from({ length: FLOOD }, () => outcome(passwords.hash(PASSWORD)));

    const full = Object.values(looks).map((hash) => outcome(passwords.matches(hash, "wrong")));

    expect(await Promise.all(full)).deep.equal(["rate_limited", "rate_limited"]);
    expect(new Set(await Promise.all(flood))).deep.equal(new Set(["accepted", "rate_limited"]));
    expect(await passwords.matches(stored, PASSWORD)).equal(true);
    expect(await passwords.matches(stored, "wrong")).equal(false);
    expect(await passwords.matches(null, "wrong")).equal(false);
  });

  it("says the same to names that nobody has in a process whose first logins are a flood", async () => {
    const { username } = await opened.account();
    const fresh = opened.another();
    await fresh.start();
    const login = (name: string) =>
      outcome(fresh.signIn.login({ login: name, password: "not the password", knownDevice: null }, origin));
    const registering = Array.from({ length: FLOOD }, () => {
      const name = newName();
      return outcome(
        fresh.signIn.register({ username: name, email: `${name}@example.org`, password: PASSWORD }, origin),
      );
    });

    const during = await Promise.all([login(newName()), login(username)]);
    await Promise.all(registering);

    // Which of them finds a place in the queue just then is chance.
    expect(["rate_limited", "invalid_credentials"]).include.members(during);
    expect([await login(newName()), await login(username)]).deep.equal([
      "invalid_credentials",
      "invalid_credentials",
    ]);
    await fresh.stop();
    expect(unhandled).deep.equal([]);
  });

  it("doesn't count an attempt that nobody looked at", async () => {
    const { username } = await opened.account();
    const fresh = opened.another();
    await fresh.start();
    const input = { login: username, password: PASSWORD, knownDevice: null };
    const refused: string[] = [];

    // In all more than five a minute; which of them finds a place in the queue just then is chance.
    for (let round = 0; round < 3; round++) {
      const flood = Array.from({ length: FLOOD }, () => {
        const login = { login: newName(), password: "not the password", knownDevice: null };
        return outcome(fresh.signIn.login(login, origin));
      });
      const ours = await Promise.all(
        Array.from({ length: 5 }, () => outcome(fresh.signIn.login(input, origin))),
      );
      refused.push(...ours.filter((one) => one !== "accepted"));
      await Promise.all(flood);
    }

    expect(refused.length).above(5);
    expect(new Set(refused)).deep.equal(new Set(["rate_limited"]));
    expect(await outcome(fresh.signIn.login(input, origin))).equal("accepted");
    await fresh.stop();
  });
});
