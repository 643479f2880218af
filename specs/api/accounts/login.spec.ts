import { expect } from "chai";
import { OPERATOR } from "../../../base/audit.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { signedIn } from "../../support/two-factor.ts";
import { newName, type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

describe("signing in", () => {
  let opened: Opened;
  before(async () => {
    opened = await openAccounts("as in production");
  });
  after(() => opened.close());

  const login = (name: string, password: string, knownDevice: string | null = null) =>
    opened.accounts.signIn.login({ login: name, password, knownDevice }, origin);

  async function refusal(attempt: Promise<unknown>): Promise<ServiceError> {
    try {
      await attempt;
    } catch (err) {
      if (err instanceof ServiceError) return err;
      throw err;
    }
    throw new Error("The attempt was not refused.");
  }

  it("takes the username or the e-mail address, in any casing", async () => {
    const { username, user } = await opened.account();

    for (const name of [username, username.toUpperCase(), user.email, user.email.toUpperCase()]) {
      expect(signedIn(await login(name, PASSWORD)).user._id).equal(user._id);
    }
  });

  it("answers a wrong password and an unknown name alike", async () => {
    const { username } = await opened.account();

    const wrong = await refusal(login(username, "not the password"));
    const unknown = await refusal(login(newName(), "not the password"));
    const unknownAddress = await refusal(login(`${newName()}@example.org`, "not the password"));

    expect(wrong.code).equal("invalid_credentials");
    expect(unknown.envelope()).deep.equal(wrong.envelope());
    expect(unknownAddress.envelope()).deep.equal(wrong.envelope());
  });

  it("takes about as long for an unknown name as for a wrong password", async () => {
    const accounts = await Promise.all(Array.from({ length: 3 }, () => opened.account()));
    const names = accounts.flatMap(({ username }) => Array.from({ length: 5 }, () => username));
    const took = async (name: string) => {
      const startedAt = performance.now();
      expect(await outcome(login(name, "not the password"))).equal("invalid_credentials");
      return performance.now() - startedAt;
    };
    const times: { known: number; unknown: number }[] = [];
    // In turn: whatever else the machine has to do in the meantime slows both.
    for (const name of names) times.push({ known: await took(name), unknown: await took(newName()) });
    const median = (of: "known" | "unknown") =>
      times.map((one) => one[of]).sort((one, other) => one - other)[7] ?? 0;

    // Without the dummy hash the ratio is below 0.2.
    expect(median("unknown") / median("known")).within(0.4, 2.5);
  });

  it("slows guessing down after five attempts a minute, and says how long", async () => {
    const { username } = await opened.account();
    for (let i = 0; i < 5; i++) {
      expect(await outcome(login(username, "not the password"))).equal("invalid_credentials");
    }

    const refused = await refusal(login(username, PASSWORD));

    expect(refused.code).equal("rate_limited");
    expect(refused.details).include({ bucket: "login" });
    expect(refused.retryAfterMs).within(1, 60_000);
  });

  it("slows guessing at a name that nobody has in the same way", async () => {
    const name = newName();
    const codes: string[] = [];
    for (let i = 0; i < 6; i++) codes.push(await outcome(login(name, "not the password")));

    expect(codes).deep.equal([...Array<string>(5).fill("invalid_credentials"), "rate_limited"]);
  });

  it("counts guesses that come all at once", async () => {
    const { username } = await opened.account();

    const codes = await Promise.all(
      Array.from({ length: 20 }, () => outcome(login(username, "not the password"))),
    );

    expect(codes.filter((code) => code === "invalid_credentials")).length(5);
    expect(codes.filter((code) => code === "rate_limited")).length(15);
  });

  it("gives nothing away once a right password was typed among wrong ones", async () => {
    const { username } = await opened.account();
    const outcomesAfter = async (name: string, fifth: string) => {
      for (let i = 0; i < 4; i++) await outcome(login(name, "not the password"));
      await outcome(login(name, fifth));
      return [
        await outcome(login(name, "not the password")),
        await outcome(login(name, "not the password")),
        await outcome(login(name, "not the password")),
      ];
    };

    // The right one doesn't count, and the strangers' four stay counted: one more, as if nobody had come.
    const [, ...withOwner] = await outcomesAfter(username, PASSWORD);
    const [, ...without] = await outcomesAfter(newName(), "not the password");

    expect(withOwner).deep.equal(["rate_limited", "rate_limited"]);
    expect(without).deep.equal(withOwner);
  });

  it("reports a ban only after the right password", async () => {
    const { username, user } = await opened.account();
    await opened.accounts.accountBans.ban(user._id, OPERATOR);

    expect(await outcome(login(username, "not the password"))).equal("invalid_credentials");
    expect(await outcome(login(username, PASSWORD))).equal("account_banned");

    await opened.accounts.accountBans.unban(user._id, OPERATOR);
    expect(await outcome(login(username, PASSWORD))).equal("accepted");
  });

  it("ends the oldest sessions past fifty", async () => {
    const { username, caller } = await opened.account();
    for (let i = 0; i < 50; i++) {
      opened.clock.move(10);
      await login(username, PASSWORD);
    }

    const sessions = await opened.accounts.sessions.list(caller.userId);

    expect(sessions).length(50);
    expect(sessions.map((session) => session._id)).not.include(caller.sessionId);
  });
});
