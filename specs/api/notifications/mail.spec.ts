// @waits: for mails.
import { expect } from "chai";
import { HOUR_MS } from "../../../base/durations.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { mailboxOf } from "../../support/mailbox.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("mails of notifications", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock, sendsMails: true });

  const addressOf = async ({ api }: Person) => String((await api.ok("getMe")).email);

  async function reader(isProven = true): Promise<Person & { address: string }> {
    const person = await given.user();
    const address = await addressOf(person);
    const users = usersCollection.in(world.core.mongo.db);
    const emailVerifiedAt = isProven ? new Date(clock.now()) : null;
    await users.updateOne({ _id: person.id }, { $set: { emailVerifiedAt } });
    await person.api.ok("setNotificationPreferences", { body: { email_enabled: true } });
    return { ...person, address };
  }
  async function followed(whom: Person): Promise<Person> {
    const fan = await given.user();
    await fan.api.ok("followUser", { params: { user_id: whom.id } });
    return fan;
  }
  /** Without that of the new account. */
  const mailsTo = async (address: string) =>
    (await mailboxOf(world).to(address)).filter(({ subject }) => subject !== "Verify your email address");

  it("come to a verified address, for who wants them", async () => {
    const [owner, unproven, silent] = [await reader(), await reader(false), await given.user()];
    for (const one of [unproven, silent]) await followed(one);
    const fan = await followed(owner);

    const mail = await mailboxOf(world).next(owner.address, "New follower");
    expect(mail.text)
      .contain(`Hello ${owner.username},`)
      .and.contain(`${fan.username} follows you.`)
      .and.contain(`https://livecore.example/${fan.username}`);
    expect(await mailsTo(unproven.address)).deep.equal([]);
    expect(await mailsTo(await addressOf(silent))).deep.equal([]);
  });

  it("end by one click on what mail programs show, or on the link at their end, until they are switched on again", async () => {
    const owner = await reader();
    await followed(owner);
    const { headers, text } = await mailboxOf(world).next(owner.address, "New follower");
    expect(headers["list-unsubscribe-post"]).equal("List-Unsubscribe=One-Click");
    const [, address = ""] = /^<(https:.+)>$/.exec(String(headers["list-unsubscribe"])) ?? [];
    const { pathname, search, searchParams } = new URL(address);
    expect(text).contain(
      `https://livecore.example/account/unsubscribe#token=${encodeURIComponent(searchParams.get("token") ?? "")}`,
    );

    // As mail programs do.
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const click = (query: string) =>
      fetch(`${world.baseUrl}${pathname}${query}`, {
        method: "POST",
        headers: type,
        body: "List-Unsubscribe=One-Click",
      });
    for (let n = 0; n < 2; n++) expect((await click(search)).status).equal(204);

    const set = await owner.api.ok("getNotificationPreferences");
    expect(set).include({ email_enabled: false, push_enabled: true, followers: true });
    clock.move(1_000);
    await followed(owner);
    await eventually(async () => expect((await owner.api.ok("listNotifications")).total).equal(2));
    expect(await mailsTo(owner.address)).length(1);
    const forged = await click(search.replace(/.{4}$/, "AAAA"));
    expect(forged.status).equal(401);
    const get = await fetch(`${world.baseUrl}${pathname}${search}`);
    expect(get.status).equal(405);
  });

  it("are one for what comes at once", async () => {
    const owner = await reader();
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const quiet = { quiet_hours_start: at(-HOUR_MS), quiet_hours_end: at(HOUR_MS) };
    await owner.api.ok("setNotificationPreferences", { body: { email_enabled: true, ...quiet } });
    const fans = [await followed(owner), await followed(owner), await followed(owner)];
    await eventually(async () => expect((await owner.api.ok("listNotifications")).total).equal(3));
    expect(await mailsTo(owner.address)).deep.equal([]);

    clock.move(HOUR_MS);
    const { text } = await mailboxOf(world).next(owner.address, "New notifications");
    expect(text).contain("3 new followers:");
    for (const { username } of fans) expect(text).contain(`${username} follows you.`);
  });
});
