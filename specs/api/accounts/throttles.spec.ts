import { expect } from "chai";
import { throttleKeys } from "../../../actors/accounts/passwords/login-throttle.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { signedIn } from "../../support/two-factor.ts";
import { newName, type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

const WRONG = "not the password";

describe("slowing guesses down", () => {
  let opened: Opened;
  before(async () => {
    opened = await openAccounts();
  });
  after(() => opened.close());

  const login = (name: string, password: string, knownDevice: string | null = null) =>
    opened.accounts.signIn.login({ login: name, password, knownDevice }, origin);
  const addressOf = (name: string) => `${name}@example.org`;

  /** All that an answer reveals to a stranger; waits to the minute, since they run down meanwhile. */
  async function answerTo(attempt: Promise<unknown>): Promise<unknown> {
    try {
      await attempt;
      return "accepted";
    } catch (err) {
      if (!(err instanceof ServiceError)) throw err;
      const { retry_after_ms: _waitMs, ...details }: Record<string, unknown> = { ...err.details };
      const minutes = err.retryAfterMs === null ? null : Math.ceil(err.retryAfterMs / 60_000);
      return { status: err.status, ...err.envelope(), details, minutes };
    }
  }

  async function guesses(names: string[]): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const name of names) answers.push(await answerTo(login(name, WRONG)));
    return answers;
  }

  const times = (count: number, name: string) => Array<string>(count).fill(name);
  /** A minute passes for what was typed, without waiting for it. */
  const nextMinute = (name: string) =>
    opened.stores.redis.del(`lc:login:${throttleKeys.typed(name.toLowerCase()).id}`);

  it("gives a stranger the same answer for an account as for nobody, by name, by address and by both", async () => {
    const { username } = await opened.account();
    const nobody = newName();
    const sequence = (name: string) => [
      ...times(7, name),
      ...times(2, addressOf(name)),
      name.toUpperCase(),
      ...times(5, addressOf(name).toUpperCase()),
      ...times(2, name),
    ];

    const ofAccount = await guesses(sequence(username));
    const ofNobody = await guesses(sequence(nobody));

    expect(ofAccount).deep.equal(ofNobody);
    expect(ofAccount.slice(0, 8)).deep.equal([...times(5, "").map(() => wrong), slowed, slowed, wrong]);
  });

  it("doesn't keep the address closed after guesses by the name that everyone sees", async () => {
    const { username } = await opened.account();
    await guesses(times(8, username));

    expect(await answerTo(login(username, PASSWORD))).deep.equal(slowed);
    expect(await answerTo(login(addressOf(username), PASSWORD))).equal("accepted");
  });

  it("lets a known device in while a stranger is guessing", async () => {
    const { username, deviceId } = await opened.account();
    const stranger = await opened.account();
    await guesses([...times(6, username), ...times(6, addressOf(username))]);

    for (const name of [username, addressOf(username)]) {
      for (const device of [null, stranger.deviceId, stranger.sessionId, "x".repeat(128)]) {
        expect(await answerTo(login(name, PASSWORD, device)), String(device)).deep.equal(slowed);
      }
      expect(await outcome(login(name, PASSWORD, deviceId))).equal("accepted");
    }
  });

  it("slows a known device down by itself, and lets it begin anew after the right password", async () => {
    const { username, deviceId } = await opened.account();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) await outcome(login(username, WRONG, deviceId));
      expect(await outcome(login(username, PASSWORD, deviceId))).equal("accepted");
    }
    for (let i = 0; i < 5; i++) await outcome(login(addressOf(username), WRONG, deviceId));

    expect(await answerTo(login(username, PASSWORD, deviceId))).deep.equal(slowed);
    expect(await outcome(login(username, PASSWORD))).equal("accepted");
  });

  it("lets its owner show the password again while strangers are guessing, and each session by itself", async () => {
    const { username, caller } = await opened.account();
    const other = signedIn(await login(username, PASSWORD));
    const otherCaller = await opened.accounts.tokens.authenticate(other.accessToken, "bearer");
    await guesses([...times(6, username), ...times(6, addressOf(username))]);
    const change = (who: typeof caller, password: string) =>
      opened.accounts.profile.updateMe(who, { email: addressOf(newName()), password }, origin);

    for (let i = 0; i < 5; i++)
      expect(await outcome(change(otherCaller, WRONG))).equal("invalid_credentials");
    expect(await answerTo(change(otherCaller, PASSWORD))).deep.equal(slowed);
    expect(await outcome(change(caller, PASSWORD))).equal("accepted");
  });

  it("says of no address, by a change to it, whether it has an account, and mails few of them", async () => {
    const [{ caller }, { username }] = [await opened.account(), await opened.account()];
    const change = (email: string) =>
      outcome(opened.accounts.profile.updateMe(caller, { email, password: PASSWORD }, origin));

    const answers: string[] = [];
    for (let i = 0; i < 7; i++)
      answers.push(await change(i % 2 === 0 ? addressOf(username) : addressOf(newName())));

    expect(answers).deep.equal([...Array<string>(5).fill("accepted"), ...["rate_limited", "rate_limited"]]);
    expect(await outcome(opened.accounts.profile.updateMe(caller, { bio: "still here" }, origin))).equal(
      "accepted",
    );
  });

  it("ends patient guessing after a hundred an hour, at a name that nobody has too, and says no more of it", async () => {
    const { username } = await opened.account();
    const patiently = async (name: string) => {
      const answers: unknown[] = [];
      for (let minute = 0; minute < 21; minute++) {
        answers.push(...(await guesses(times(5, name))));
        await nextMinute(name);
      }
      return answers;
    };

    const [ofAccount, ofNobody] = await Promise.all([patiently(username), patiently(newName())]);

    expect(ofAccount).deep.equal(ofNobody);
    expect(ofAccount.slice(99, 101)).deep.equal([wrong, slowed]);
    // The other way to the same account says nothing of it: names and addresses can't be matched by guessing.
    expect(await guesses([addressOf(username)])).deep.equal([wrong]);
  }).timeout(60_000);

  it("makes the wait longer each time within a day, to a quarter of an hour at most", async () => {
    const name = newName();
    const minutes: unknown[] = [];
    for (let i = 0; i < 7; i++) {
      const answers = await guesses(times(6, name));
      minutes.push(Object(answers.at(-1)).minutes);
      await nextMinute(name);
    }

    expect(minutes).deep.equal([1, 2, 4, 8, 15, 15, 15]);
  });
});

const wrong = {
  status: 401,
  code: "invalid_credentials",
  message: "The username, email address or password is wrong.",
  details: {},
  minutes: null,
};
const slowed = {
  status: 429,
  code: "rate_limited",
  message: "You're doing that too often.",
  details: { bucket: "login", limit: 5, window_seconds: 60 },
  minutes: 1,
};
