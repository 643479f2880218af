import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import { tracesOf, unkept } from "../../../store/personal/traces.ts";
import { movableClock } from "../../../support/clock.ts";
import { erased } from "../../../support/erased.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Channel, givenChannels, type Person } from "../../../support/given-channels.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

const PASSWORD = "a long phrase for specs";

describe("DELETE /v1/users/me", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world } = setUpWorld({ clock, stores: openOwnStores });
  let given: ReturnType<typeof givenChannels>;
  before(async () => {
    given = givenChannels(world);
  });

  const remove = (person: Person, password = PASSWORD) => person.api.call("deleteMe", { body: { password } });
  const login = ({ username }: Person) =>
    world.api
      .with({ "x-auth-mode": "bearer" })
      .call("login", { body: { login: username, password: PASSWORD } });
  const users = () => world.core.mongo.db.collection<{ _id: string }>("users");

  async function laterErased(person: Person): Promise<void> {
    clock.move(30 * DAY_MS + 1_000);
    await erased(world, person.id);
  }

  it("asks for the password", async () => {
    const user = await given.user();

    expect((await remove(user, "not the password")).code).equal("invalid_credentials");
    expect((await user.api.call("getMe")).status).equal(200);
  });

  it("ends every session and hides the profile", async () => {
    const user = await given.user();
    const elsewhere = await given.signedInAgain(user);

    expect((await remove(user)).status).equal(204);

    expect((await user.api.call("getMe")).code).equal("invalid_token");
    expect((await elsewhere.api.call("getMe")).code).equal("invalid_token");
    const profile = await world.api.call("getPublicProfile", { params: { username: user.username } });
    expect(profile.status).equal(404);
    const again = { username: user.username, email: "somebody_else@example.com", password: PASSWORD };
    expect((await world.api.call("register", { body: again })).code).equal("username_taken");
  });

  it("ends API tokens at once, and says so in the audit log", async () => {
    const user = await given.user();
    const { id: grantId, token } = await user.api.ok("createApiToken", { body: { name: "Stream bot" } });
    const bot = world.api.as({ token });
    const room = { params: { stream_id: (await user.api.ok("getMyStream")).id } };
    expect((await bot.call("getChatRoom", room)).status).equal(200);

    await remove(user);

    expect((await bot.call("getChatRoom", room)).code).equal("invalid_token");
    const line = world.audited.find((one) => one.event === "api_token.ended" && one.grantId === grantId);
    expect(line).include({ accountId: user.id, userId: user.id, reason: "account_deleted" });
  });

  it("takes the channel off the air and refuses its key", async () => {
    const channel = await given.liveChannel();

    await remove(channel.owner);

    const isLive = async () => (await world.core.streams.find(channel.stream.id))?.isLive;
    await eventually(async () => (await isLive()) === false, { what: "the broadcast ends" });
    const refused = await given.hook("publish", { key: channel.stream.stream_key, clientId: "2" });
    expect(refused.status).equal(403);
  });

  it("cancels what the account pays for and what is paid for its channel", async () => {
    const [subscriber, channel] = [await given.user(), await given.channel()];
    const id = await subscribed(subscriber, channel.owner);
    const fan = await given.user();
    const toTheirs = await subscribed(fan, subscriber);

    await remove(subscriber);

    const statusOf = async (of: string) => (await world.core.subscriptions.find(of))?.status;
    await eventually(async () => (await statusOf(id)) === "cancelled", { what: "the own one is cancelled" });
    await eventually(async () => (await statusOf(toTheirs)) === "cancelled", { what: "the other one too" });
  });

  async function subscribed(subscriber: Person, owner: Person): Promise<string> {
    const body = { channel_user_id: owner.id, tier: 1 };
    const { checkout_url } = await subscriber.api.ok("createSubscriptionCheckout", { body });
    await fetch(`${checkout_url}/pay`, { method: "POST" });
    let id = "";
    const begins = async () => {
      id = (await world.core.subscriptions.current(subscriber.id, owner.id))?._id ?? "";
      return id !== "";
    };
    await eventually(begins, { what: "the subscription begins" });
    return id;
  }

  it("is undone by signing in within 30 days, and not after", async () => {
    const [back, late] = [await given.user(), await given.user()];
    await remove(back);
    await remove(late);
    clock.move(30 * DAY_MS - 60_000);

    const answer = await login(back);

    expect(answer.status).equal(200);
    expect(Object(answer.body)).property("restored", true);
    expect(Object((await login(back)).body), "only once").not.property("restored");
    expect(Object(answer.body).user).include({ id: back.id, status: "active" });
    expect(await users().findOne({ _id: back.id })).not.property("deletion");
    clock.move(60_000);
    expect((await login(late)).code).equal("invalid_credentials");
    await erased(world, late.id);
    expect(await users().countDocuments({ _id: back.id })).equal(1);
  });

  it("isn't undone by a wrong password", async () => {
    const user = await given.user();
    await remove(user);

    const body = { login: user.username, password: "not the password" };
    expect((await world.api.call("login", { body })).code).equal("invalid_credentials");
    expect(await users().findOne({ _id: user.id })).include({ status: "deleted" });
  });

  /** Somebody who has left something almost everywhere. */
  async function busy(): Promise<{ person: Person; other: Channel; own: Channel; message: string }> {
    const own = await given.channel();
    const person = own.owner;
    const other = await given.liveChannel();
    await person.api.ok("followUser", { params: { user_id: other.owner.id } });
    await other.owner.api.ok("followUser", { params: { user_id: person.id } });
    const { uuid } = await person.api.ok("sendChatMessage", { params: other.at, body: { content: "hello" } });
    const reply = { content: "and to you", reply_to_id: uuid };
    await other.owner.api.ok("sendChatMessage", { params: other.at, body: reply });
    await subscribed(person, other.owner);
    await person.api.ok("setRaidSettings", { body: { accept_from: "everyone" } });
    await other.owner.api.ok("addModerator", { params: { ...other.at, user_id: person.id } });
    const prediction = await person.api.ok("createPrediction", {
      params: other.at,
      body: { title: "Will it?", outcomes: [{ title: "Yes" }, { title: "No" }], duration_seconds: 60 },
    });
    const outcome_id = prediction.outcomes[0]?.id ?? "";
    const prediction_id = prediction.id;
    const bet = { params: { prediction_id }, body: { outcome_id, amount: 10 } };
    await person.api.call("placeBet", bet);
    await other.owner.api.call("cancelPrediction", { params: { prediction_id } });
    const offered = await person.api.ok("createReward", { body: { title: "Gone", cost: 1 } });
    await person.api.ok("deleteReward", { params: { reward_id: offered.id } });
    await person.api.ok("createReward", { body: { title: "Still there", cost: 1 } });
    const hydrate = await other.owner.api.ok("createReward", { body: { title: "Hydrate", cost: 1 } });
    const redeemed = { params: { reward_id: hydrate.id }, body: {} };
    await person.api.ok("redeemReward", redeemed);
    const report = { target_type: "user" as const, target_id: other.owner.id, reason_code: "other" as const };
    await person.api.ok("createReport", { body: { ...report, details: "they did" } });
    await other.owner.api.ok("createReport", { body: { ...report, target_id: person.id } });
    const request = { kind: "support" as const, email: `${person.username}@example.com` };
    await person.api.ok("createSupportRequest", {
      body: { ...request, subject: "Help", message: "Help me" },
    });
    const phone = { device_token: `phone-of-${person.username}`, device_type: "android" as const };
    await person.api.ok("registerDevice", { body: phone });
    const archived = async () =>
      (await world.core.mongo.db.collection("chat_messages").countDocuments({ userId: person.id })) > 0;
    await eventually(archived, { what: "the message is archived" });
    return { person, other, own, message: uuid };
  }

  it("leaves no trace of the account where none is declared to be kept, and its messages as nobody's", async () => {
    const { person, other, own, message } = await busy();
    const { db } = world.core.mongo;
    const texts = [person.id, person.username];
    expect((await tracesOf(db, texts)).length).greaterThan(15);
    await remove(person);

    await laterErased(person);

    expect(unkept(await tracesOf(db, texts))).deep.equal([]);
    expect(await world.core.streams.find(own.stream.id)).equal(null);
    const erasures = world.audited.filter(({ event }) => event === "account.erased");
    expect(erasures.map(({ accountId }) => accountId)).include(person.id);
    const left = await db.collection<{ _id: string }>("chat_messages").findOne({ _id: message });
    expect(left).include({ content: "hello", username: "deleted" });
    const { follower_count } = await world.api.ok("getPublicProfile", {
      params: { username: other.owner.username },
    });
    expect(follower_count).equal(0);
    const again = { username: person.username, email: `${person.username}@example.com`, password: PASSWORD };
    expect((await world.api.call("register", { body: again })).code).equal("username_taken");
    clock.move(181 * DAY_MS);
    expect((await world.api.call("register", { body: again })).status).equal(201);
  });

  it("finds requests that were sent without signing in, however the address was typed", async () => {
    const user = await given.user();
    const about = { kind: "support" as const, subject: "Help", message: "Help me" };
    const ask = async (email: string) =>
      (await world.api.ok("createSupportRequest", { body: { ...about, email } })).id;
    const [own, strange] = [
      await ask(`${user.username.toUpperCase()}@Example.COM`),
      await ask(`x${user.username}@example.com`),
    ];
    await remove(user);

    await laterErased(user);

    const requests = world.core.mongo.db.collection<{ _id: string; email: string }>("support_requests");
    expect((await requests.findOne({ _id: own }))?.email).equal("deleted");
    expect((await requests.findOne({ _id: strange }))?.email).equal(`x${user.username}@example.com`);
  });

  it("goes on where a process that erased has died", async () => {
    const { person } = await busy();
    const { db } = world.core.mongo;
    await remove(person);
    await eventually(
      async () => (await users().countDocuments({ _id: person.id, "deletion.isSettled": true })) === 1,
      {
        what: "it is settled",
      },
    );
    // As it is left in the middle: begun, half of it gone, the rest as it was.
    await users().updateOne(
      { _id: person.id },
      { $set: { "deletion.erasedAs": "0198c0de-0000-7000-8000-000000000001" } },
    );
    await db.collection("sessions").deleteMany({ userId: person.id });
    await db.collection("balances").deleteMany({ userId: person.id });
    clock.move(1);
    expect((await login(person)).code, "there is no way back").equal("invalid_credentials");

    await laterErased(person);

    expect(unkept(await tracesOf(db, [person.id, person.username]))).deep.equal([]);
  });
});
