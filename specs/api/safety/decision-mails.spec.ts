import { expect } from "chai";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { notificationFactsIn } from "../../../store/mongo/notifications/notification-facts.ts";
import { movableClock } from "../../support/clock.ts";
import type { Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { mailboxOf } from "../../support/mailbox.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const DECIDED = "A moderation decision about your account";

describe("What staff decide about somebody", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock, sendsMails: true });
  let staffed: GivenStaff;
  let staff: Person;
  before(async () => {
    staffed = givenStaff(world, given);
    staff = await staffed.staff();
  });

  async function user(isProven = true): Promise<Person & { address: string }> {
    const person = await given.user();
    const address = String((await person.api.ok("getMe")).email);
    const emailVerifiedAt = isProven ? new Date(clock.now()) : null;
    await usersCollection
      .in(world.core.mongo.db)
      .updateOne({ _id: person.id }, { $set: { emailVerifiedAt } });
    return { ...person, address };
  }
  const on = ({ id }: Person) => ({ params: { account_id: id } });
  const strike = (whom: Person, reason: string) =>
    staff.api.ok("giveStrike", { ...on(whom), body: { reason } });

  it("is mailed with its reason, once, to a verified address and whatever the preferences are", async () => {
    const [struck, unproven] = [await user(), await user(false)];
    await strike(unproven, "Insults");
    const { expires_at: until } = await strike(struck, "Insults of others");

    const { text } = await mailboxOf(world).next(struck.address, DECIDED);

    expect(text).contain(`Hello ${struck.username},`).and.contain("You received a strike");
    expect(text).contain("Reason: Insults of others").and.contain(until.slice(0, 10));
    const to = async ({ address }: { address: string }) =>
      (await mailboxOf(world).to(address)).filter(({ subject }) => subject === DECIDED);
    expect([await to(struck), await to(unproven)].map(({ length }) => length)).deep.equal([1, 0]);
  });

  it("isn't mailed days later", async () => {
    const warned = await user();
    const at = new Date(clock.now() - 4 * DAY_MS);
    const data = { id: newId(), measure: "warning" as const, reason: "Long ago", until: null };
    const fact = { kind: "measure" as const, ref: `warning:${data.id}`, userId: warned.id, at, data };
    await notificationFactsIn(world.core.mongo.db).insert([fact]);
    await strike(warned, "Insults");

    const { text } = await mailboxOf(world).next(warned.address, DECIDED);
    expect(text).contain("Reason: Insults");
    const mails = await mailboxOf(world).to(warned.address);
    expect(mails.filter(({ subject }) => subject === DECIDED)).length(1);
  });

  it("reaches who is banned, and so does what becomes of the appeal", async () => {
    const banned = await user();
    await staff.api.ok("banAccount", { ...on(banned), body: { reason: "Threats" } });
    const { text } = await mailboxOf(world).next(banned.address, "Your account was banned");
    expect(text).contain("Reason: Threats").and.contain("you are told how to appeal.");

    const { details } = await staffed.refusedLogin(banned);
    const { appeal_token, subject_type, subject_id } = details;
    const message = "I was quoting somebody else, who said so.";
    const appeal = { subject_type, subject_id, appeal_token, message };
    const { body } = await world.api.call("createAppeal", { body: appeal });
    const params = { appeal_id: String(Object(body).id) };
    await staff.api.ok("handleAppeal", { params, body: { action: "claim" } });
    await staff.api.ok("handleAppeal", { params, body: { decision: "grant", note: "You were right." } });

    const decided = await mailboxOf(world).next(banned.address, "Your appeal was decided");
    expect(decided.text).contain("Your appeal was accepted").and.not.contain("You were right.");
  });
});
