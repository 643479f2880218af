import { expect } from "chai";
import type { ProfileChange } from "../../../../actors/accounts/profile/profile-changes.ts";
import { OPERATOR } from "../../../../base/audit.ts";
import { DAY_MS } from "../../../../base/durations.ts";
import { newName, type Opened, openAccounts, origin, outcome, PASSWORD } from "../open-accounts.ts";

describe("changing one's account", () => {
  let opened: Opened;
  before(async () => {
    opened = await openAccounts();
  });
  after(() => opened.close());

  type Account = Awaited<ReturnType<Opened["account"]>>;
  const change = ({ caller }: Account, what: ProfileChange) =>
    opened.accounts.profile.updateMe(caller, what, origin);

  it("sets what is given, empties what is null and leaves the rest", async () => {
    const account = await opened.account();
    await change(account, { bio: "hello", imageUrl: "https://example.org/a.png" });

    const after = await change(account, { bio: null, socialLinks: { twitter: "me" } });

    expect(after.bio).equal(null);
    expect(after.imageUrl).equal("https://example.org/a.png");
    expect(after.socialLinks).deep.equal({ twitter: "me" });
    expect(after.username).equal(account.username);
  });

  it("changes the casing of the name as often as one likes, and nothing but the casing by the title", async () => {
    const account = await opened.account();
    const upper = account.username.toUpperCase();

    expect((await change(account, { usernameTitle: upper })).usernameTitle).equal(upper);
    expect((await change(account, { username: account.username })).usernameTitle).equal(account.username);
    expect((await change(account, { usernameTitle: upper })).username).equal(account.username);
    expect(await outcome(change(account, { usernameTitle: newName() }))).equal("validation_failed");
  });

  it("changes the name once in 60 days", async () => {
    const account = await opened.account();
    const [first, second] = [newName(), newName()];

    expect((await change(account, { username: first.toUpperCase() })).username).equal(first);
    expect(await outcome(change(account, { username: second }))).equal("username_locked");
    opened.clock.move(60 * DAY_MS);
    expect((await change(account, { username: second })).usernameTitle).equal(second);
  });

  it("changes the name once when two changes come at once", async () => {
    const account = await opened.account();
    const names = [newName(), newName(), newName()];

    const codes = await Promise.all(names.map((username) => outcome(change(account, { username }))));

    expect(codes.filter((code) => code === "accepted")).length(1);
    const refusedNames = names.filter((_, i) => codes[i] !== "accepted");
    for (const username of refusedNames) {
      expect(await outcome(change(await opened.account(), { username }))).equal("accepted");
    }
  });

  it("keeps the old name back for 180 days, but not from its former owner", async () => {
    const account = await opened.account();
    const taker = await opened.account();
    await change(account, { username: newName() });

    expect(await outcome(change(taker, { username: account.username }))).equal("username_taken");
    opened.clock.move(61 * DAY_MS);
    expect((await change(account, { username: account.username })).username).equal(account.username);

    const left = newName();
    opened.clock.move(61 * DAY_MS);
    await change(account, { username: left });
    opened.clock.move(181 * DAY_MS);
    expect((await change(taker, { username: account.username })).username).equal(account.username);
  });

  it("refuses names in use and reserved words, and keeps everything else as it was", async () => {
    const account = await opened.account();
    const { username } = await opened.account();

    expect(await outcome(change(account, { username, bio: "new" }))).equal("username_taken");
    expect(await outcome(change(account, { username: "Admin", bio: "new" }))).equal("validation_failed");

    expect((await opened.accounts.profile.me(account.caller)).bio).equal(null);
  });

  it("begins a change of the e-mail address for the password alone", async () => {
    const account = await opened.account();
    const email = `${newName()}@Example.org`;

    expect(await outcome(change(account, { email }))).equal("validation_failed");
    expect(await outcome(change(account, { email, password: "not the password" }))).equal(
      "invalid_credentials",
    );
    const after = await change(account, { email, password: PASSWORD });

    expect(after).include({ email: account.user.email, emailVerifiedAt: null });
    const login = { login: email.toLowerCase(), password: PASSWORD, knownDevice: null };
    expect(await outcome(opened.accounts.signIn.login(login, origin))).equal("invalid_credentials");
  });

  it("reveals to nobody whether an address is in use", async () => {
    const account = await opened.account();
    const { user } = await opened.account();

    const after = await change(account, { email: user.email.toUpperCase(), password: PASSWORD });
    expect(after.email).equal(account.user.email);
  });

  it("slows guessing of the password down, like a sign-in", async () => {
    const account = await opened.account();
    const email = `${newName()}@example.org`;
    const codes: string[] = [];
    for (let i = 0; i < 6; i++) {
      codes.push(await outcome(change(account, { email, password: "not the password" })));
    }

    expect(codes).deep.equal([...Array<string>(5).fill("invalid_credentials"), "rate_limited"]);
  });

  it("shows others neither address nor password", async () => {
    const { user } = await opened.account();

    const seen = await opened.accounts.directory.requireUser(user._id);
    const many = await opened.accounts.directory.usersByIds([user._id, user._id, "nobody"]);

    expect([...many.keys()]).deep.equal([user._id]);
    for (const one of [seen, many.get(user._id)]) {
      expect(one).not.have.any.keys("email", "emailKey", "emailVerifiedAt", "passwordHash");
    }
  });

  it("makes staff by name, and takes it back", async () => {
    const { user, username } = await opened.account();

    await opened.accounts.staff.setStaff(username.toUpperCase(), true, OPERATOR);
    expect((await opened.accounts.directory.findUser(user._id))?.isStaff).equal(true);
    await opened.accounts.staff.setStaff(username, false, OPERATOR);
    expect((await opened.accounts.directory.findUser(user._id))?.isStaff).equal(false);
    expect(await outcome(opened.accounts.staff.setStaff(newName(), true, OPERATOR))).equal("not_found");
  });
});
