// @waits: for runs of the sweeps.
import { expect } from "chai";
import { standingIn } from "../../../actors/accounts/standing/account-standing.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { type AccountBanDoc, accountBansCollection } from "../../../store/mongo/accounts/account-bans.ts";
import { sessionsCollection } from "../../../store/mongo/accounts/sessions.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { factsOf } from "../../actors/notifications/expected-facts.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { streamDoc } from "../../support/stream-doc.ts";
import { givenStaffMember } from "../../support/two-factor.ts";
import { openWorld, type World } from "../../support/world.ts";

const MESSAGE = "I was quoting somebody else, who said so.";

describe("Bans, strikes and appeals", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let world: World;
  let given: Given;
  let staffed: GivenStaff;
  let staff: Person;
  let other: Person;

  before(async () => {
    world = await openWorld({ clock });
    given = givenChannels(world);
    staffed = givenStaff(world, given);
    [staff, other] = [await staffed.staff(), await staffed.staff()];
  });
  after(() => world.close());

  const on = (person: Person) => ({ params: { account_id: person.id } });
  const strike = (person: Person, reason = "Insults") =>
    staff.api.ok("giveStrike", { ...on(person), body: { reason } });
  const handle = (who: Person, appeal_id: string, body: object) =>
    who.api.call("handleAppeal", { params: { appeal_id }, body });
  const standing = (person: Person) => staff.api.ok("getUser", on(person));
  async function grant(appeal_id: string): Promise<void> {
    await staff.api.ok("handleAppeal", { params: { appeal_id }, body: { action: "claim" } });
    const body = { decision: "grant", note: "You were right." };
    await staff.api.ok("handleAppeal", { params: { appeal_id }, body });
  }

  /** A user banned by hand, with what the refused login says. */
  async function banned() {
    const user = await given.user();
    const ban = await staff.api.ok("banAccount", { ...on(user), body: { reason: "Insults" } });
    const { details } = await staffed.refusedLogin(user);
    return { user, ban, token: String(details.appeal_token) };
  }

  it("take an account out and put it back", async () => {
    const { user, ban } = await banned();
    const again = await staff.api.ok("banAccount", { ...on(user), body: { reason: "Once more" } });

    expect(again).deep.equal(ban);
    expect((await user.api.call("getMe")).code).equal("account_banned");
    expect((await standing(user)).ban).deep.equal(ban);

    await staff.api.ok("unbanAccount", on(user));
    await staff.api.ok("unbanAccount", on(user));
    expect((await user.api.call("getMe")).code, "a session that ended").equal("account_banned");
    expect((await (await given.signedInAgain(user)).api.call("getMe")).status).equal(200);
    expect(await standing(user)).deep.include({ status: "active", ban: null });
  });

  it("are lifted only as the one that was meant, where that is named", async () => {
    const { user, ban } = await banned();
    const lift = (ban_id: string) => staff.api.call("unbanAccount", { ...on(user), query: { ban_id } });
    await staff.api.ok("unbanAccount", on(user));
    const newer = await other.api.ok("banAccount", { ...on(user), body: { reason: "Threats" } });

    expect((await lift(ban.id)).code).equal("invalid_state");
    expect((await standing(user)).ban?.id).equal(newer.id);
    expect((await lift(newer.id)).status).equal(204);
    expect((await lift(newer.id)).status).equal(204);
    expect((await standing(user)).ban).equal(null);
  });

  it("aren't for staff, nor for oneself", async () => {
    const body = { reason: "So" };
    expect((await staff.api.call("banAccount", { ...on(other), body })).code).equal("forbidden");
    expect((await staff.api.call("giveStrike", { ...on(other), body })).code).equal("forbidden");
    expect((await staff.api.call("banAccount", { ...on(staff), body })).code).equal("self_target");
    expect((await other.api.call("getMe")).status).equal(200);
  });

  it("aren't taken back, appealed against or verified by staff for themselves", async () => {
    const user = await given.user();
    const [{ id: first }, { id: strike_id }] = [await strike(user), await strike(user)];
    const subject = { subject_type: "strike" as const, subject_id: first, message: MESSAGE };
    const { id: appeal } = await user.api.ok("createAppeal", { body: subject });
    await givenStaffMember(world.core, user);

    const decision = { decision: "grant", note: "I was right." };
    expect((await handle(user, appeal, { action: "claim" })).code).equal("self_target");
    // Claimed before this was a rule, or the role came later.
    await world.core.mongo.db
      .collection<{ _id: string }>("appeals")
      .updateOne(
        { _id: appeal },
        { $set: { status: "claimed", claimedBy: user.id, claimedAt: new Date(clock.now()) } },
      );
    expect((await handle(user, appeal, decision)).code).equal("self_target");
    const params = { account_id: user.id, strike_id };
    expect((await user.api.call("revokeStrike", { params })).code).equal("self_target");
    const body = { is_verified: true };
    expect((await user.api.call("updateUser", { ...on(user), body })).code).equal("self_target");
    expect(await standing(user)).deep.include({ is_verified: false, live_strikes: 2 });
  });

  it("end sessions of a ban whose process died right after it", async () => {
    const channel = await given.liveChannel();
    const { mongo } = world.core;
    const what = { banId: newId(), userId: channel.owner.id, reason: "So", by: staff.id };

    await inTransaction(mongo.client, (session) =>
      standingIn(mongo.db).ban({ ...what, reportId: null, at: new Date(clock.now()) }, session),
    );

    await eventually(async () => (await channel.owner.api.call("getMe")).code === "account_banned");
    await eventually(async () => !(await staff.api.ok("getStream", { params: channel.at })).is_live);
    await eventually(async () => {
      // What came to nothing on a busy machine is tried again later.
      clock.move(5_000);
      const left = await mongo.db.collection("account_bans").countDocuments({ isEnforced: false });
      return left === 0;
    });
    clock.move(5_000);
    const lines = () =>
      world.audited.filter(
        ({ event, accountId }) => event === "account.banned" && accountId === channel.owner.id,
      );
    await eventually(() => lines().length > 0);
    expect(lines().map(({ userId }) => userId)).deep.equal([staff.id]);
  });

  it("are enforced also after a hundred others that can't be, whose sessions are ended all the same", async () => {
    const { mongo, streams } = world.core;
    const { db } = mongo;
    const standing = standingIn(db);
    const ban = (userId: string) =>
      inTransaction(mongo.client, (session) =>
        standing.ban(
          { banId: newId(), userId, reason: "So", by: staff.id, reportId: null, at: new Date(clock.now()) },
          session,
        ),
      );
    // Their actors can't be read, as after a release that was taken back.
    const unreadable = { machine: "live-stream", machineVersion: 1, version: 1, snapshot: {}, commits: [] };
    const spoil = (streamId: string) =>
      db
        .collection<{ _id: string }>("snapshots")
        .updateOne({ _id: `live-stream:${streamId}` }, { $set: unreadable }, { upsert: true });
    const past = new Date(clock.now() - 60_000);
    const bans = await Promise.all(
      Array.from({ length: 100 }, async (): Promise<AccountBanDoc> => {
        const stream = streamDoc();
        await streams.insert(stream);
        await spoil(stream._id);
        const own = { _id: newId(), userId: stream.userId, reason: "So", by: staff.id, reportId: null };
        const state = { strikeId: null, createdAt: past, isCurrent: true, liftedAt: null, liftedBy: null };
        return { ...own, ...state, isEnforced: false };
      }),
    );
    await accountBansCollection.in(db).insertMany(bans);
    const [spoilt, live] = [await given.channel(), await given.liveChannel()];
    await spoil(spoilt.stream.id);

    await ban(spoilt.owner.id);
    // What a sign-in that was under way leaves.
    const sessions = sessionsCollection.in(db);
    const active = { endedAt: null, endReason: null, expiresAt: new Date(clock.now() + DAY_MS) };
    await sessions.updateMany({ userId: spoilt.owner.id }, { $set: active });
    await ban(live.owner.id);

    const options = { withinMs: 20_000 };
    await eventually(async () => !(await staff.api.ok("getStream", { params: live.at })).is_live, options);
    await eventually(async () => {
      const left = await sessions.countDocuments({ userId: spoilt.owner.id, endedAt: null });
      return left === 0;
    }, options);
    await accountBansCollection.in(db).deleteMany({ isEnforced: false });
  }).timeout(60_000);

  it("count a strike that is repeated with its key once", async () => {
    const user = await given.user();
    const give = (reason: string) =>
      staff.api.call("giveStrike", { ...on(user), body: { reason }, headers: { "idempotency-key": "mine" } });

    const answers = await Promise.all([1, 2, 3].map(() => give("Insults")));
    const again = await give("Insults");

    expect(new Set([...answers, again].map(({ status, body }) => `${status} ${Object(body).id}`)).size).equal(
      1,
    );
    expect(again.status).equal(201);
    expect(await standing(user)).deep.include({ status: "active", live_strikes: 1 });
    expect((await give("Other insults")).code).equal("idempotency_conflict");
    const lines = world.audited.filter(({ accountId }) => accountId === user.id);
    expect(lines.map(({ event }) => event)).deep.equal(["strike.given"]);
    const facts = await factsOf(world.core.mongo.db, user.id);
    expect(facts.map(({ kind, data }) => [kind, Object(data).measure])).deep.equal([["measure", "strike"]]);
  });

  it("of three strikes at once the third bans, and one taken back lifts it", async () => {
    const user = await given.user();

    const strikes = await Promise.all([1, 2, 3].map(() => strike(user)));

    expect(await standing(user)).deep.include({ status: "banned", live_strikes: 3 });
    const [first] = strikes;
    const params = { account_id: user.id, strike_id: first?.id ?? "" };
    await staff.api.ok("revokeStrike", { params });
    expect(await standing(user)).deep.include({ status: "active", live_strikes: 2, ban: null });
    const { items } = await staff.api.ok("listStrikes", on(user));
    expect(items.filter(({ revoked_at }) => revoked_at !== null).map(({ id }) => id)).deep.equal([first?.id]);
  });

  it("are shown to their user, without who gave them", async () => {
    const user = await given.user();
    const { id, created_at, expires_at } = await strike(user);

    const { items } = await user.api.ok("listMyStrikes");

    expect(items).deep.equal([{ id, reason: "Insults", created_at, expires_at, revoked_at: null }]);
    expect((await other.api.ok("listMyStrikes")).items).deep.equal([]);
  });

  it("let strikes expire after 90 days", async () => {
    const user = await given.user();
    await strike(user);
    await strike(user);
    clock.move(90 * DAY_MS);
    [staff, other] = [await given.signedInAgain(staff), await given.signedInAgain(other)];

    await strike(user);

    expect(await standing(user)).deep.include({ status: "active", live_strikes: 1 });
  });

  it("are appealed against with the token of a refused login, which is good for nothing else", async () => {
    const { user, ban, token } = await banned();
    const { ban: othersBan } = await banned();
    const appeal = (body: object) => world.api.call("createAppeal", { body: { message: MESSAGE, ...body } });
    const subject = { subject_type: "ban", subject_id: ban.id };

    expect((await appeal(subject)).code).equal("auth_required");
    expect((await appeal({ ...subject, appeal_token: `${token}x` })).code).equal("invalid_token");
    const elsewhere = { subject_type: "ban", subject_id: othersBan.id, appeal_token: token };
    expect((await appeal(elsewhere)).code).equal("not_found");
    const { id } = await strike(user);
    const aboutStrike = { subject_type: "strike", subject_id: id, appeal_token: token };
    expect((await appeal(aboutStrike)).code).equal("not_found");
    const asBearer = world.api.as({ token });
    for (const operation of ["getMe", "listMyAppeals", "listMyReports", "createWsTicket"] as const)
      expect((await asBearer.call(operation)).code, operation).equal("invalid_token");

    const made = await appeal({ ...subject, appeal_token: token });
    expect([made.status, made.body]).deep.equal([201, { ...Object(made.body), ...subject, status: "open" }]);
    expect((await appeal({ ...subject, appeal_token: token })).code).equal("appeal_open");

    await grant(Object(made.body).id);
    expect(await standing(user)).deep.include({ status: "active", ban: null });
    const back = await given.signedInAgain(user);
    const { items } = await back.api.ok("listMyAppeals");
    expect(items.map(({ status, note }) => [status, note])).deep.equal([["granted", "You were right."]]);
    expect(JSON.stringify(items)).not.contain(staff.id);
    expect((await appeal({ ...subject, appeal_token: token })).code).equal("not_found");
  });

  it("lets an appeal token run out after a day", async () => {
    const { ban, token } = await banned();
    clock.move(DAY_MS);
    [staff, other] = [await given.signedInAgain(staff), await given.signedInAgain(other)];

    const body = { subject_type: "ban", subject_id: ban.id, message: MESSAGE, appeal_token: token };
    expect((await world.api.call("createAppeal", { body })).code).equal("invalid_token");
  });

  it("are decided by one who claimed the appeal, of two at once", async () => {
    const user = await given.user();
    const { id: subject_id } = await strike(user);
    const body = { subject_type: "strike", subject_id, message: MESSAGE };
    const { id } = await user.api.ok("createAppeal", { body });
    const code = async (who: Person, act: object) => (await handle(who, id, act)).code;

    expect(await code(staff, { decision: "deny", note: "No" })).equal("not_claimed");
    const claims = await Promise.all([staff, other].map((who) => handle(who, id, { action: "claim" })));
    expect(claims.map(({ status }) => status).sort()).deep.equal([200, 409]);
    const [winner, loser] = claims[0]?.status === 200 ? [staff, other] : [other, staff];
    expect(await code(loser, { action: "claim" })).equal("invalid_state");
    expect(await code(loser, { decision: "deny", note: "No" })).equal("not_claimed");
    expect(await code(winner, { action: "claim", note: "Mine" })).equal("validation_failed");

    const decisions = await Promise.all(
      [1, 2].map(() => handle(winner, id, { decision: "grant", note: "You were right." })),
    );
    expect(decisions.map(({ status }) => status).sort()).deep.equal([200, 409]);
    const facts = await factsOf(world.core.mongo.db, user.id);
    const appeals = facts.filter(({ kind }) => kind === "appeal").map(({ data }) => data);
    expect(appeals).deep.equal([{ appealId: id, status: "granted" }]);
    expect(await standing(user)).deep.include({ live_strikes: 0 });
    expect(await code(winner, { action: "release" })).equal("invalid_state");
  });

  it("give a claimed appeal back after 30 minutes", async () => {
    const user = await given.user();
    const { id: subject_id } = await strike(user);
    const body = { subject_type: "strike", subject_id, message: MESSAGE };
    const { id } = await user.api.ok("createAppeal", { body });
    expect((await handle(staff, id, { action: "claim" })).status).equal(200);

    clock.move(30 * 60_000);
    [staff, other] = [await given.signedInAgain(staff), await given.signedInAgain(other)];

    expect((await handle(staff, id, { decision: "deny", note: "No" })).code).equal("not_claimed");
    expect((await handle(other, id, { action: "claim" })).status).equal(200);
    expect((await handle(other, id, { decision: "deny", note: "No" })).status).equal(200);
    expect(await standing(user)).deep.include({ live_strikes: 1 });
  });

  it("lift a chat ban that staff set, and leave the channel's own to the channel", async () => {
    const [channel, author, reporter] = [await given.channel(), await given.user(), await given.user()];
    const uuid = await staffed.message(channel, author, "Fools");
    const about = { target_type: "chat_message", target_id: uuid, reason_code: "hate" };
    await reporter.api.ok("createReport", { body: about });
    const params = { report_id: await staffed.caseOf(uuid) };
    await staff.api.ok("handleReport", { params, body: { action: "claim" } });
    const measures = [{ type: "chat_ban", reason: "Hate", duration_seconds: 86_400 }];
    await staff.api.ok("handleReport", { params, body: { action: "act", measures } });
    const say = async (content: string) =>
      (await author.api.call("sendChatMessage", { params: channel.at, body: { content } })).code;
    clock.move(2_000);
    expect(await say("But")).equal("timed_out");
    const [shown] = (await author.api.ok("listMyChatBans")).items;
    expect(shown).deep.include({ id: channel.stream.id, type: "timeout", reason: "Hate", is_by_staff: true });
    expect(shown?.streamer?.id).equal(channel.owner.id);

    const body = { subject_type: "chat_ban", subject_id: channel.stream.id, message: MESSAGE };
    await grant((await author.api.ok("createAppeal", { body })).id);

    expect(await say("Thank you")).equal(null);
    expect((await author.api.ok("listMyChatBans")).items, "lifted").deep.equal([]);
    const room = { ...channel.at, user_id: author.id };
    await channel.owner.api.ok("banUser", { params: room });
    const own = (await author.api.ok("listMyChatBans")).items;
    expect(own.map(({ type, is_by_staff }) => [type, is_by_staff])).deep.equal([["ban", false]]);
    expect((await author.api.call("createAppeal", { body })).code).equal("not_found");
  });

  it("finds accounts by name, e-mail address and id, and verifies them", async () => {
    const { user } = await banned();
    const found = async (q: string, status?: string) => {
      const query = { q, ...(status ? { status } : {}) };
      return (await staff.api.ok("listUsers", { query })).items.map(({ id }) => id);
    };

    expect(await found(user.username.slice(0, 12))).deep.equal([user.id]);
    expect(await found(`${user.username}@example.com`)).deep.equal([user.id]);
    expect(await found(user.id, "banned")).deep.equal([user.id]);
    expect(await found(user.id, "active")).deep.equal([]);
    const verified = await staff.api.ok("updateUser", { ...on(user), body: { is_verified: true } });
    expect([verified.is_verified, verified.is_staff]).deep.equal([true, false]);
  });
});

describe("Requests for help", function () {
  this.timeout(60_000);
  let world: World;
  let staff: Person;
  before(async () => {
    world = await openWorld();
    const given = givenChannels(world);
    staff = await givenStaff(world, given).staff();
  });
  after(() => world.close());

  const plain = { kind: "support", email: "a@example.com", subject: "Help", message: "How do I leave?" };
  const takedown = {
    work: "A Song",
    urls: ["https://live.example.com/x"],
    good_faith: true,
    signature: "A. T.",
  };

  it("are kept, and handled once", async () => {
    const { id, ...made } = await world.api.ok("createSupportRequest", { body: plain });
    const params = { support_id: id };

    expect(made).deep.include({ ...plain, status: "open" });
    const handled = await Promise.all(
      [1, 2].map(() => staff.api.call("handleSupportRequest", { params, body: { status: "answered" } })),
    );
    expect(handled.map(({ status }) => status).sort()).deep.equal([200, 409]);
    const closed = await staff.api.ok("handleSupportRequest", {
      params,
      body: { status: "closed", note: "Told" },
    });
    expect(closed).deep.include({ status: "closed", note: "Told", dmca: null });
    const again = await staff.api.call("handleSupportRequest", { params, body: { status: "answered" } });
    expect(again.code).equal("invalid_state");
  });

  it("to take something down say what, where and by whom", async () => {
    const ask = (body: object) => world.api.call("createSupportRequest", { body });
    const dmca = { ...plain, kind: "dmca", ...takedown };

    const made = await world.api.ok("createSupportRequest", { body: dmca });
    for (const name of Object.keys(takedown)) {
      const { [name]: _, ...less } = dmca as Record<string, unknown>;
      expect((await ask(less)).code, name).equal("validation_failed");
    }
    expect((await ask({ ...dmca, good_faith: false })).code).equal("validation_failed");
    expect((await ask({ ...plain, work: "A Song" })).code).equal("validation_failed");
    const { items } = await staff.api.ok("listSupportRequests", { query: { status: "open", per_page: 100 } });
    expect(items.find(({ id }) => id === made.id)?.dmca).deep.equal(takedown);
  });
});
