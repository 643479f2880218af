// @waits: for runs of the sweeps.
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import type { Api } from "../../../support/api.ts";
import { type MovableClock, movableClock } from "../../../support/clock.ts";
import { type Mailbox, mailboxOf, tokenIn } from "../../../support/mailbox.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { openWorld, type World } from "../../../support/world.ts";

const PASSWORD = "a long phrase for specs";
const OF_THE_THIEF = "another phrase for specs";
const OF_THE_OWNER = "eleven owls above the mill";

describe("An account that a thief has deleted", function () {
  this.timeout(60_000);
  let world: World;
  let clock: MovableClock;
  let mailbox: Mailbox;
  let bearer: Api;
  before(async () => {
    clock = movableClock();
    world = await openWorld({ clock, sendsMails: true, stores: openOwnStores });
    mailbox = mailboxOf(world);
    bearer = world.api.with({ "x-auth-mode": "bearer" });
  });
  after(() => world.close());

  type Owner = { id: string; username: string; email: string };
  const login = (typed: string, password: string) =>
    bearer.call("login", { body: { login: typed, password } });
  const verify = (token: string) => world.api.ok("verifyEmail", { body: { token } });
  const undo = (token: string) => world.api.call("undoEmailChange", { body: { token } });
  const reset = (token: string) =>
    world.api.call("resetPassword", { body: { token, password: OF_THE_OWNER } });
  const forgot = (email: string) => world.api.ok("forgotPassword", { body: { email } });
  const linkOf = async (email: string, subject: RegExp) => tokenIn(await mailbox.next(email, subject));
  const userOf = ({ id }: Owner) => usersCollection.in(world.core.mongo.db).findOne({ _id: id });
  const restoredOf = ({ id }: Owner) => world.auditedOf("account.restored", id).length;

  /** The thief knows the password, and has changed it already. */
  async function stolen(): Promise<{ owner: Owner; thief: Api }> {
    const username = `s_${randomBytes(8).toString("hex")}`;
    const email = `${username}@example.com`;
    const { user } = await bearer.ok("register", { body: { username, email, password: PASSWORD } });
    await verify(await linkOf(email, /Verify/));
    const { access_token } = Object((await login(username, PASSWORD)).body);
    const thief = world.api.as({ token: String(access_token) });
    await thief.ok("changePassword", {
      body: { current_password: PASSWORD, new_password: OF_THE_THIEF },
    });
    return { owner: { id: String(user?.id), username, email }, thief };
  }
  const remove = (thief: Api) => thief.ok("deleteMe", { body: { password: OF_THE_THIEF } });

  async function expectOwners(owner: Owner): Promise<void> {
    const back = await userOf(owner);
    expect(back).include({ status: "active", email: owner.email }).and.not.property("deletion");
    expect(restoredOf(owner)).equal(1);
    expect((await login(owner.username, OF_THE_THIEF)).code).equal("invalid_credentials");
    expect((await login(owner.email, OF_THE_OWNER)).status).equal(200);
  }

  it("is reported to its owner, and comes back by a reset of the password", async () => {
    const { owner, thief } = await stolen();
    await remove(thief);
    const { text } = await mailbox.next(owner.email, "Your account was deleted");
    expect(text).include("reset your password");
    clock.move(29 * DAY_MS);
    await forgot(owner.email);
    const token = await linkOf(owner.email, /Reset/);
    expect(await userOf(owner), "nothing but the link brings it back").include({ status: "deleted" });

    expect((await reset(token)).status).equal(204);

    await expectOwners(owner);
    expect((await thief.call("getMe")).code).equal("invalid_token");
  });

  it("comes back by a link from before", async () => {
    const { owner, thief } = await stolen();
    await forgot(owner.email);
    const token = await linkOf(owner.email, /Reset/);
    await remove(thief);

    expect((await reset(token)).status).equal(204);

    await expectOwners(owner);
  });

  it("comes back to the address that it had, whose owner is notified too", async () => {
    const { owner, thief } = await stolen();
    const email = `${owner.username}@example.net`;
    await thief.ok("updateMe", { body: { email, password: OF_THE_THIEF } });
    await verify(await linkOf(email, /Confirm/));
    const link = await linkOf(owner.email, /address of your account was changed/);
    await remove(thief);
    const { text } = await mailbox.next(owner.email, "Your account was deleted");
    expect(text).include("It also undoes the deletion");
    expect((await mailbox.next(email, "Your account was deleted")).text).include("reset your password");

    expect((await undo(link)).status).equal(204);

    expect(await userOf(owner)).include({ status: "active", email: owner.email });
    expect((await reset(await linkOf(owner.email, /Reset/))).status).equal(204);
    await expectOwners(owner);
  });

  it("doesn't come back once erasing has begun", async () => {
    const { owner, thief } = await stolen();
    await forgot(owner.email);
    const early = await linkOf(owner.email, /Reset/);
    await remove(thief);
    const users = usersCollection.in(world.core.mongo.db);
    await users.updateOne({ _id: owner.id }, { $set: { "deletion.erasedAs": "somebody" } });

    expect((await reset(early)).code).equal("invalid_token");
    await forgot(owner.email);
    await mailbox.settled();

    const resets = (await mailbox.to(owner.email)).filter(({ subject }) => subject.startsWith("Reset"));
    expect(resets).length(1);
    expect(await userOf(owner)).include({ status: "deleted" });
  });
});
