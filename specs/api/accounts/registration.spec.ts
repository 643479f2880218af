import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { newName, type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

describe("registering an account", () => {
  let opened: Opened;
  before(async () => {
    opened = await openAccounts("as in production");
  });
  after(() => opened.close());

  const register = (input: { username: string; email?: string; password?: string }) =>
    opened.accounts.signIn.register(
      { email: `${newName()}@example.org`, password: PASSWORD, ...input },
      origin,
    );

  it("makes the account and its stream, named in the owner's casing", async () => {
    const name = newName();
    const title = `X${name.toUpperCase()}`;

    const { user } = await register({ username: title });

    const stream = await opened.stores.mongo.db
      .collection<StreamDoc>("streams")
      .findOne({ userId: user._id });
    expect(user.username).equal(title.toLowerCase());
    expect(user.usernameTitle).equal(title);
    expect(stream?.name).equal(title);
    shows("users.title");
    expect(stream?.roomId).a("number");
    expect(JSON.stringify(stream)).not.match(/live_[A-Za-z0-9_-]{20}/);
  });

  it("gives a name and an address to one of many who ask at once, whatever the casing", async () => {
    const name = newName();
    const sameName = await Promise.all(
      [name, name.toUpperCase(), name, name].map((username) => outcome(register({ username }))),
    );
    const email = `${newName()}@example.org`;
    const sameEmail = await Promise.all(
      [email, email.toUpperCase(), email].map((address) =>
        outcome(register({ username: newName(), email: address })),
      ),
    );

    expect(sameName.filter((code) => code === "accepted")).length(1);
    expect(sameName.filter((code) => code === "username_taken")).length(3);
    expect(sameEmail.filter((code) => code === "accepted")).length(1);
    expect(sameEmail.filter((code) => code === "email_taken")).length(2);
  });

  it("leaves nothing behind when it is refused", async () => {
    const { user } = await register({ username: newName() });
    const name = newName();

    expect(await outcome(register({ username: name, email: user.email }))).equal("email_taken");

    expect(await outcome(register({ username: name }))).equal("accepted");
  });

  for (const username of ["admin", "Root", "SUPPORT", "v1", "docs", "embed", "robots", "staff", "healthz"]) {
    it(`refuses the reserved word ${username}`, async () => {
      expect(await outcome(register({ username }))).equal("validation_failed");
    });
  }

  for (const password of ["1234567890", "Password123", "qwertyuiop", "aaaaaaaaaaaa", "abababababab"]) {
    it(`refuses the password "${password}", which is guessed first`, async () => {
      expect(await outcome(register({ username: newName(), password }))).equal("validation_failed");
    });
  }

  it("refuses the name or the address as password", async () => {
    const username = newName();
    const email = `${username}x@example.org`;

    for (const password of [username.toUpperCase(), email, `${username}x`]) {
      expect(await outcome(register({ username, email, password }))).equal("validation_failed");
    }
  });

  it("keeps neither the password nor a token in the database", async () => {
    const username = newName();
    const password = `secret ${newName()}`;

    const { refreshToken, user } = await register({ username, password });

    const db = opened.stores.mongo.db;
    const [account, sessions] = await Promise.all([
      db.collection<UserDoc>("users").findOne({ _id: user._id }),
      db.collection("sessions").find({ userId: user._id }).toArray(),
    ]);
    expect(account?.passwordHash).match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(JSON.stringify([account, sessions])).not.include(password);
    expect(JSON.stringify(sessions)).not.include(refreshToken);
  });
});
