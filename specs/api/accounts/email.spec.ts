import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { newLink } from "../../../actors/accounts/tokens/email-links.ts";
import { DAY_MS, MINUTE_MS } from "../../../base/durations.ts";
import { emailTokensCollection } from "../../../store/mongo/accounts/email-tokens.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import type { Api } from "../../support/api.ts";
import { type MovableClock, movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Mailbox, mailboxOf, tokenIn } from "../../support/mailbox.ts";
import { openWorld, type World } from "../../support/world.ts";

const PASSWORD = "a long phrase for specs";
const ANOTHER = "another phrase for specs";

/** The whole way: the request, the job, SMTP, the mailbox, the link. */
describe("E-mail", function () {
  this.timeout(60_000);
  let world: World;
  let clock: MovableClock;
  let mailbox: Mailbox;
  let bearer: Api;
  before(async () => {
    clock = movableClock();
    world = await openWorld({ clock, sendsMails: true });
    mailbox = mailboxOf(world);
    bearer = world.api.with({ "x-auth-mode": "bearer" });
  });
  after(() => world.close());

  const addressOf = (name: string) => `${name}@example.com`;
  const newName = () => `m_${randomBytes(8).toString("hex")}`;

  async function account() {
    const username = newName();
    const email = addressOf(username);
    const made = await bearer.ok("register", { body: { username, email, password: PASSWORD } });
    const refresh_token = made.refresh_token ?? "";
    return { username, email, refresh_token, api: world.api.as({ token: made.access_token ?? "" }) };
  }
  const login = (typed: string, password: string) =>
    bearer.call("login", { body: { login: typed, password } });
  const verify = (token: string) => world.api.call("verifyEmail", { body: { token } });
  const reset = (token: string, password = ANOTHER) =>
    world.api.call("resetPassword", { body: { token, password } });
  const undo = (token: string) => world.api.call("undoEmailChange", { body: { token } });
  const forgot = (email: string) => world.api.call("forgotPassword", { body: { email } });

  async function verified() {
    const made = await account();
    expect((await verify(tokenIn(await mailbox.next(made.email, /Verify/)))).status).equal(204);
    return made;
  }
  /** The link of the newest mail of that subject, when there are so many. */
  async function linkAfter(email: string, subject: RegExp, count: number): Promise<string> {
    return eventually(
      async () => {
        const found = (await mailbox.to(email)).filter((mail) => mail.subject.match(subject));
        const last = found.at(-1);
        if (found.length === count && last) return tokenIn(last);
        await mailbox.sweep();
        throw new Error(`${found.length} of ${count} mails came`);
      },
      { withinMs: 15_000 },
    );
  }
  const change = (of: { api: Api }, email: string) =>
    of.api.ok("updateMe", { body: { email, password: PASSWORD } });
  /** Its address was changed to the one given back, and that was proven. */
  async function moved(of: { username: string; api: Api; email: string }) {
    const email = `${of.username}@example.net`;
    await change(of, email);
    expect((await verify(tokenIn(await mailbox.next(email, /Confirm/)))).status).equal(204);
    return email;
  }

  describe("of a new account", () => {
    it("is verified by the link that was mailed, once", async () => {
      const { api, email } = await account();
      expect(await api.ok("getMe")).not.have.property("email_verified");
      const token = tokenIn(await mailbox.next(email, /Verify/));

      expect((await verify(token)).status).equal(204);
      expect((await api.ok("getMe")).email_verified).a("string");
      expect((await verify(token)).code).equal("invalid_token");
    });

    it("is verified within a day, by the newest link alone", async () => {
      const { api, email } = await account();
      const first = await linkAfter(email, /Verify/, 1);
      expect((await api.call("resendVerification")).status).equal(202);
      const second = await linkAfter(email, /Verify/, 2);

      expect((await verify(first)).code).equal("invalid_token");
      clock.move(DAY_MS);
      expect((await verify(second)).code).equal("invalid_token");
    });

    it("gets five more verifications an hour", async () => {
      const { api, email } = await account();
      const answers: (string | number)[] = [];
      for (let i = 0; i < 7; i++) {
        const answer = await api.call("resendVerification");
        answers.push(answer.code ?? answer.status);
      }
      expect(answers).deep.equal([...Array(5).fill(202), "rate_limited", "rate_limited"]);
      await mailbox.settled();
      expect(await mailbox.to(email)).length(6);
    });

    it("isn't mailed again once it is verified", async () => {
      const { api, email } = await verified();
      expect((await api.call("resendVerification")).status).equal(202);
      await mailbox.settled();
      expect(await mailbox.to(email)).length(1);
    });
  });

  describe("of a forgotten password", () => {
    it("brings a link that sets a new one, once, ends every session, and is followed by a notice", async () => {
      const { api, username, email, refresh_token } = await verified();
      const other = Object((await login(username, PASSWORD)).body);
      expect((await forgot(email.toUpperCase())).status).equal(202);
      const token = tokenIn(await mailbox.next(email, /Reset/));

      expect((await reset(token)).status).equal(204);
      expect((await reset(token)).code).equal("invalid_token");
      expect((await api.call("getMe")).status).equal(401);
      for (const family of [refresh_token, String(other.refresh_token)])
        expect((await bearer.call("refresh", { body: { refresh_token: family } })).status).equal(401);
      expect((await login(username, PASSWORD)).code).equal("invalid_credentials");
      expect((await login(username, ANOTHER)).status).equal(200);
      await mailbox.next(email, /Your password was changed/);
    });

    it("is good for 30 minutes, also when others were requested since, until one is used; only hashes are kept", async () => {
      const { email } = await verified();
      await forgot(email);
      const first = await linkAfter(email, /Reset/, 1);
      await forgot(email);
      const second = await linkAfter(email, /Reset/, 2);

      const kept = JSON.stringify(await emailTokensCollection.in(world.core.mongo.db).find().toArray());
      expect(kept).not.contain(second).and.not.contain(second.slice(6));
      expect((await reset(first)).status).equal(204);
      expect((await reset(second)).code).equal("invalid_token");
      await forgot(email);
      const third = await linkAfter(email, /Reset/, 3);
      clock.move(30 * MINUTE_MS);
      expect((await reset(third)).code).equal("invalid_token");
    });

    it("isn't good any more once the password was changed", async () => {
      const { api, email } = await verified();
      await forgot(email);
      const token = tokenIn(await mailbox.next(email, /Reset/));
      await api.ok("changePassword", { body: { current_password: PASSWORD, new_password: ANOTHER } });
      expect((await reset(token)).code).equal("invalid_token");
    });

    it("isn't good any more once the account has another address, though it was never proven", async () => {
      const { username, email, api } = await account();
      const user = await usersCollection.in(world.core.mongo.db).findOne({ username });
      const other = `${newName()}@example.net`;
      await api.ok("updateMe", { body: { email: other, password: PASSWORD } });
      expect((await verify(tokenIn(await mailbox.next(other, /Confirm/)))).status).equal(204);
      // As it is written when the address changes between the look at the account and the link.
      const { token, doc } = newLink("reset", { userId: user?._id ?? "", email }, clock.now());
      await emailTokensCollection.in(world.core.mongo.db).insertOne(doc);

      expect((await reset(token)).code).equal("invalid_token");
      expect((await login(other, PASSWORD)).status).equal(200);
    });

    it("keeps its link when the password that was chosen is refused", async () => {
      const { email } = await verified();
      await forgot(email);
      const token = tokenIn(await mailbox.next(email, /Reset/));
      expect((await reset(token, "password123")).code).equal("validation_failed");
      expect((await reset(token)).status).equal(204);
    });

    it("is answered alike, by the same write, whether there is an account or not; without one nothing is mailed", async () => {
      const { email } = await verified();
      const nobody = addressOf(newName());
      const answers = [await forgot(email), await forgot(nobody)];
      expect(answers.map(({ status, body }) => [status, body])).deep.equal(
        Array(2).fill([202, answers[0]?.body]),
      );

      await mailbox.next(email, /Reset/);
      await mailbox.settled();
      expect(await mailbox.to(nobody)).deep.equal([]);
    });

    it("comes five times in half an hour, and the first link stays good", async () => {
      const { email } = await verified();
      for (let i = 0; i < 7; i++) {
        await forgot(email);
        await mailbox.settled();
      }
      const [first] = (await mailbox.to(email)).filter(({ subject }) => subject.startsWith("Reset"));
      await linkAfter(email, /Reset/, 5);
      expect(first && (await reset(tokenIn(first))).status).equal(204);
    });

    it("puts out who made the account with another's address: sessions, and a change that waits", async () => {
      const thief = await account();
      await change(thief, `${thief.username}@example.org`);
      const waiting = tokenIn(await mailbox.next(`${thief.username}@example.org`, /Confirm/));
      // The address' owner comes.
      await forgot(thief.email);
      expect((await reset(tokenIn(await mailbox.next(thief.email, /Reset/)))).status).equal(204);

      expect((await thief.api.call("getMe")).status).equal(401);
      expect((await verify(waiting)).code).equal("invalid_token");
      const owner = Object((await login(thief.email, ANOTHER)).body);
      expect(owner.user.email_verified).a("string");
    });
  });

  describe("to another address", () => {
    it("takes the place of the present one when it was proven, and the old one is notified", async () => {
      const person = await verified();
      const email = `${person.username}@example.net`;
      expect((await change(person, email)).email).equal(person.email);
      expect((await login(email, PASSWORD)).code).equal("invalid_credentials");

      expect((await verify(tokenIn(await mailbox.next(email, /Confirm/)))).status).equal(204);
      expect(await person.api.ok("getMe")).include({ email });
      await mailbox.next(person.email, /address of your account was changed/);
      expect((await login(email, PASSWORD)).status).equal(200);
    });

    it("is told to its owner while it waits, and dropped by sending the current one", async () => {
      const person = await verified();
      const pending = async () => (await person.api.ok("getMyEmail")).pending_email;
      expect(await pending()).equal(null);
      const email = `${person.username}@example.net`;
      await change(person, email);
      expect(await pending()).equal(email);
      const token = tokenIn(await mailbox.next(email, /Confirm/));

      const wrong = { email: person.email, password: "not the password" };
      expect((await person.api.call("updateMe", { body: wrong })).code).equal("invalid_credentials");
      await change(person, person.email);
      expect(await pending()).equal(null);
      expect((await verify(token)).code).equal("invalid_token");
      expect(await person.api.ok("getMe")).include({ email: person.email });
    });

    it("isn't confirmed any more once the password was changed", async () => {
      const { username, email, api } = await verified();
      const thief = world.api.as({ token: Object((await login(username, PASSWORD)).body).access_token });
      const other = addressOf(newName());
      await thief.ok("updateMe", { body: { email: other, password: PASSWORD } });
      const token = tokenIn(await mailbox.next(other, /Confirm/));

      await api.ok("changePassword", { body: { current_password: PASSWORD, new_password: ANOTHER } });

      expect((await verify(token)).code).equal("invalid_token");
      expect(await api.ok("getMe")).include({ email });
    });

    it("is requested in vain by a stranger: its owner gets the mail", async () => {
      const [stranger, owner] = [await account(), await account()];
      const email = addressOf(newName());
      for (let i = 0; i < 5; i++) await change(stranger, email);
      const body = { email, password: PASSWORD };
      expect((await stranger.api.call("updateMe", { body })).code).equal("rate_limited");
      expect((await stranger.api.call("resendVerification")).details).deep.equal({
        bucket: "mails_to_address",
        limit: 5,
        window_seconds: 3_600,
        retry_after_ms: 3_600_000,
      });

      await change(owner, email);
      await mailbox.settled();
      const mails = await mailbox.to(email);
      expect(mails).length(6);
      const own = mails.find(({ text }) => text.includes(owner.username));
      expect(own && (await verify(tokenIn(own))).status).equal(204);
      expect((await owner.api.ok("getMe")).email).equal(email);
    });

    it("is undone by the old one within seven days: the account is its owner's alone again", async () => {
      const person = await verified();
      const email = await moved(person);
      const token = tokenIn(await mailbox.next(person.email, /address of your account was changed/));
      clock.move(7 * DAY_MS - MINUTE_MS);
      expect((await undo(token)).status).equal(204);
      expect((await undo(token)).code).equal("invalid_token");

      for (const typed of [person.email, email])
        expect((await login(typed, PASSWORD)).code).equal("invalid_credentials");
      expect((await bearer.call("refresh", { body: { refresh_token: person.refresh_token } })).status).equal(
        401,
      );
      expect((await reset(tokenIn(await mailbox.next(person.email, /Reset/)))).status).equal(204);
      expect((await login(person.email, ANOTHER)).status).equal(200);
    });

    it("can't be undone any more after seven days", async () => {
      const person = await verified();
      await moved(person);
      const token = tokenIn(await mailbox.next(person.email, /address of your account was changed/));
      clock.move(7 * DAY_MS);
      expect((await undo(token)).code).equal("invalid_token");
    });

    it("is undone though a thief went on to a third one, and reset the password", async () => {
      const person = await verified();
      const email = await moved(person);
      const first = tokenIn(await mailbox.next(person.email, /address of your account was changed/));
      const third = `${person.username}@example.org`;
      await change(person, third);
      await verify(tokenIn(await mailbox.next(third, /Confirm/)));
      const second = tokenIn(await mailbox.next(email, /address of your account was changed/));
      await forgot(third);
      expect((await reset(tokenIn(await mailbox.next(third, /Reset/)))).status).equal(204);

      expect((await undo(first)).status).equal(204);
      expect((await undo(second)).code).equal("invalid_token");
      const users = usersCollection.in(world.core.mongo.db);
      expect(await users.findOne({ username: person.username })).include({ email: person.email });
    });

    it("leaves the old one to nobody else as long as that can be undone", async () => {
      const person = await verified();
      await moved(person);
      const username = newName();
      const body = { username, email: person.email.toUpperCase(), password: PASSWORD };
      expect((await bearer.call("register", { body })).code).equal("email_taken");
      const other = await verified();
      await change(other, person.email);
      expect((await verify(tokenIn(await mailbox.next(person.email, /Confirm/)))).code).equal("email_taken");

      clock.move(7 * DAY_MS);
      expect((await bearer.call("register", { body })).status).equal(201);
    });

    it("gives no link to undo to an address that was never proven", async () => {
      const person = await account();
      await moved(person);
      await mailbox.settled();
      expect((await mailbox.to(person.email)).map(({ subject }) => subject)).deep.equal([
        "Verify your email address",
      ]);
    });

    it("reveals only to the reader of its mail that an address has an account", async () => {
      const [person, other] = [await verified(), await verified()];
      expect((await change(person, other.email)).email).equal(person.email);
      expect((await verify(tokenIn(await mailbox.next(other.email, /Confirm/)))).code).equal("email_taken");
      expect((await person.api.ok("getMe")).email).equal(person.email);
    });
  });

  describe("of a new device", () => {
    it("comes to a proven address, in words of ours", async () => {
      const { username, email } = await verified();
      const hostile = "Visit https://evil.example <b>now</b> Firefox Windows";
      await world.api
        .with({ "x-auth-mode": "bearer", "user-agent": hostile })
        .ok("login", { body: { login: username, password: PASSWORD } });
      const { text, html } = await mailbox.next(email, /new device/);
      expect(text).contain("Firefox on Windows").and.not.contain("evil");
      expect(html).not.contain("evil");
    });
  });

  it("is mailed to an address once however a request is repeated while it waits", async () => {
    const { email } = await verified();
    await Promise.all(Array.from({ length: 8 }, () => forgot(email)));
    await mailbox.settled();
    const resets = (await mailbox.to(email)).filter(({ subject }) => subject.startsWith("Reset"));
    // One may have been taken while others still came.
    expect(resets.length).within(1, 3);
  });
});
