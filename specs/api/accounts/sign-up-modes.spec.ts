import { randomInt } from "node:crypto";
import { expect } from "chai";
import { createInvitations } from "../../../actors/accounts/staff/invitations.ts";
import { OPERATOR } from "../../../base/audit.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import {
  invitationsCollection,
  invitedAccountsCollection,
} from "../../../store/mongo/accounts/invitations.ts";
import type { Answer } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { erased } from "../../support/erased.ts";
import type { Person } from "../../support/given-channels.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { givenStaffMember } from "../../support/two-factor.ts";
import type { World } from "../../support/world.ts";
import { type OpenedOauth, openOauth } from "./oauth/open-oauth.ts";
import { newName, PASSWORD } from "./open-accounts.ts";

type Invited = { invitation?: string };

function register(
  world: Pick<World, "api">,
  more: Invited & { username?: string; email?: string } = {},
): Promise<Answer> {
  const username = newName();
  const body = { username, email: `${newId()}@example.org`, password: PASSWORD, ...more };
  return world.api.with({ "x-auth-mode": "bearer" }).call("register", { body });
}

const codeOf = ({ code, status }: Answer): string => code ?? String(status);

/** A code as `npm run staff -- invite` makes it. */
async function byOperator({ core }: World, maxUses = 1) {
  return createInvitations({ mongo: core.mongo, auditTrail: core.auditTrail, clock: core.clock }).create(
    { maxUses },
    OPERATOR,
  );
}

/** An account in any mode, by that code or the operator's. */
async function invited(world: World, code?: string): Promise<Person> {
  const invitation = code ?? (await byOperator(world)).code;
  const answer = await register(world, { invitation });
  const { user, access_token: token } = Object(answer.body);
  return { id: user.id, username: user.username, token, api: world.api.as({ token }) };
}

describe("sign-up by invitation", () => {
  const { world } = setUpWorld(() => ({ instance: { signUp: "invitation" as const } }));
  let staff: Person;
  before(async () => {
    staff = await invited(world);
    await givenStaffMember(world.core, staff);
  });

  const made = async (body: { max_uses?: number; note?: string; expires_at?: string } = {}) =>
    staff.api.ok("createInvitation", { body });
  it("holds at the most invitations, however many are made at once", async () => {
    const invitations = invitationsCollection.in(world.core.mongo.db);
    const given = await invitations.countDocuments();
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + 60_000);
    const rest = Array.from({ length: 1_000 - given - 2 }, () => {
      const _id = newId();
      return { _id, hash: _id, note: "most", maxUses: 1, uses: 0, createdBy: null, createdAt, expiresAt };
    });
    await invitations.insertMany(rest);
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => byOperator(world)));
    const ids = made.flatMap((one) => (one.status === "fulfilled" ? one.value.doc._id : []));
    await invitations.deleteMany({ $or: [{ note: "most" }, { _id: { $in: ids } }] });
    expect(ids).length(2);
  });

  const usesOf = async (id: string) =>
    (await invitationsCollection.in(world.core.mongo.db).findOne({ _id: id }))?.uses;

  it("refuses a registration without a code", async () => {
    const answer = await register(world);

    expect([answer.status, answer.code]).deep.equal([403, "invitation_required"]);
  });

  it("makes as many accounts by a code as it has uses, however it is typed", async () => {
    const { code, id } = await made({ max_uses: 2 });

    const answers = [
      await register(world, { invitation: code }),
      await register(world, { invitation: ` ${code.toUpperCase().replaceAll("-", " ")}` }),
      await register(world, { invitation: code }),
    ];

    expect(answers.map(codeOf)).deep.equal(["201", "201", "invitation_invalid"]);
    expect(await usesOf(id)).equal(2);
  });

  it("lets one of many concurrent registrations have the last use", async () => {
    const { code: invitation, id } = await made();

    const answers = await Promise.all(Array.from({ length: 5 }, () => register(world, { invitation })));

    expect(answers.map(codeOf).sort()).deep.equal(["201", ...Array(4).fill("invitation_invalid")]);
    expect(await usesOf(id)).equal(1);
    expect(
      await invitedAccountsCollection.in(world.core.mongo.db).countDocuments({ invitationId: id }),
    ).equal(1);
  });

  it("uses nothing up for a registration that is refused", async () => {
    const { code: invitation, id } = await made();
    const { username } = await invited(world);

    expect(codeOf(await register(world, { invitation, username }))).equal("username_taken");

    expect(await usesOf(id)).equal(0);
    expect(codeOf(await register(world, { invitation }))).equal("201");
  });

  it("refuses invented, revoked and expired codes alike", async () => {
    const revoked = await made();
    await staff.api.ok("revokeInvitation", { params: { invitation_id: revoked.id } });
    const expired = await made();
    await invitationsCollection
      .in(world.core.mongo.db)
      .updateOne({ _id: expired.id }, { $set: { expiresAt: new Date(Date.now() - DAY_MS) } });

    for (const invitation of ["h7kq2m-x9vtb4-n8rdc6-z5wyp3", "no code", revoked.code, expired.code])
      expect(codeOf(await register(world, { invitation })), invitation).equal("invitation_invalid");
    const again = { params: { invitation_id: revoked.id } };
    expect((await staff.api.call("revokeInvitation", again)).code).equal("not_found");
  });

  it("says without a valid code nothing of which names and addresses have accounts", async () => {
    const { username } = await invited(world);

    expect(codeOf(await register(world, { username }))).equal("invitation_required");
    expect(codeOf(await register(world, { username, invitation: "no code" }))).equal("invitation_invalid");
  });

  it("signs existing accounts in as before", async () => {
    const { username: login } = await invited(world);

    const body = { login, password: PASSWORD };
    expect((await world.api.call("login", { body })).status).equal(200);
  });

  it("shows staff what there is without its code, and only the hash is stored", async () => {
    const note = `for ${newName()}`;
    const { code, id, ...shown } = await made({ note, max_uses: 3 });

    const { items } = await staff.api.ok("listInvitations", { query: { per_page: 100 } });

    const found = items.find((one) => one.id === id);
    expect(found).deep.equal({ id, ...shown });
    expect(found).include({ note, max_uses: 3, uses: 0 });
    expect(found?.created_by?.id).equal(staff.id);
    const stored = await invitationsCollection.in(world.core.mongo.db).find().toArray();
    expect(JSON.stringify([items, stored]))
      .not.include(code)
      .and.not.include(code.replaceAll("-", ""));
  });

  it("refuses invitations that expire in the past or in more than a year", async () => {
    for (const days of [-1, 367]) {
      const body = { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
      expect((await staff.api.call("createInvitation", { body })).code, `${days}`).equal("validation_failed");
    }
    expect((await staff.api.call("createInvitation", { body: { max_uses: 1_001 } })).status).equal(400);
  });

  it("is audited, with the account that was made", async () => {
    const { code: invitation, id: invitationId } = await made();

    const { user } = Object((await register(world, { invitation })).body);

    expect(world.auditedOf("invitation.used", user.id).map((line) => line.invitationId)).deep.equal([
      invitationId,
    ]);
  });
});

describe("invitations and the accounts made by them", () => {
  const clock = movableClock();
  const { world } = setUpWorld({ instance: { signUp: "invitation" }, stores: openOwnStores, clock });

  const exported = async ({ api }: Person) => Object((await api.call("exportMe")).body);
  const remove = ({ api }: Person) => api.call("deleteMe", { body: { password: PASSWORD } });

  it("are in the exports of both, and lose whoever is erased", async () => {
    const staff = await invited(world);
    await givenStaffMember(world.core, staff);
    const note = "for a friend";
    const { code, id } = await staff.api.ok("createInvitation", { body: { max_uses: 2, note } });
    const [guest, other] = [await invited(world, code), await invited(world, code)];
    const accounts = invitedAccountsCollection.in(world.core.mongo.db);

    expect((await exported(guest)).invitation).length(1);
    expect((await exported(guest)).invitation[0]).include({ invitation_id: id });
    const [own] = (await exported(staff)).invitations;
    expect(own).include({ id, note, max_uses: 2, uses: 2 });
    expect(JSON.stringify(own)).not.include("hash");
    expect((await accounts.findOne({ _id: guest.id }))?.invitedBy).equal(staff.id);

    expect([(await remove(guest)).status, (await remove(staff)).status]).deep.equal([204, 204]);
    clock.move(31 * DAY_MS);
    await erased(world, guest.id, staff.id);

    expect(await accounts.findOne({ _id: guest.id })).equal(null);
    const left = await accounts.findOne({ _id: other.id });
    expect(left?.invitationId).equal(id);
    expect(left?.invitedBy).a("string").not.equal(staff.id);
  });
});

describe("closed sign-up", () => {
  const { world } = setUpWorld(() => ({ instance: { signUp: "closed" as const } }));

  it("refuses everybody, with or without a code", async () => {
    for (const more of [{}, { invitation: "no code" }, { invitation: "h7kq2m-x9vtb4-n8rdc6-z5wyp3" }]) {
      const answer = await register(world, more);
      expect([answer.status, answer.code]).deep.equal([403, "sign_up_closed"]);
    }
  });

  it("lets the operator's own code make an account, so that there can be a first one", async () => {
    const { code: invitation } = await byOperator(world);

    expect(codeOf(await register(world, { invitation }))).equal("201");
    expect(codeOf(await register(world, { invitation }))).equal("sign_up_closed");
  });

  it("lets staff make no invitations, and takes none that they made before", async () => {
    const staff = await invited(world);
    await givenStaffMember(world.core, staff);
    expect((await staff.api.call("createInvitation", { body: {} })).code).equal("sign_up_closed");

    const { core } = world;
    const { code: invitation } = await core.invitations.create(
      {},
      { userId: staff.id, origin: { ip: "203.0.113.7", userAgent: null, requestId: "spec" } },
    );
    expect(codeOf(await register(world, { invitation }))).equal("sign_up_closed");
  });
});

describe("signing up by a provider", () => {
  for (const signUp of ["invitation", "closed"] as const) {
    describe(`where sign-up is ${signUp === "closed" ? "closed" : "by invitation"}`, () => {
      let o: OpenedOauth;
      before(async () => {
        o = await openOauth({ instance: { signUp } });
      });
      after(() => o.close());

      const arrive = async () => {
        const by = o.browser();
        const login = o.there(o.one, { email: `${newName()}@example.org`, email_verified: true });
        return { by, login, fragment: (await o.signIn(by, o.one, login)).fragment };
      };

      if (signUp === "closed")
        it("refuses a newcomer before there is anything to complete", async () => {
          const { fragment } = await arrive();
          expect(fragment).deep.equal({ error: "sign_up_closed" });
        });
      else
        it("needs a code to complete the account, and none to sign in again", async () => {
          const { by, login, fragment } = await arrive();
          const complete = (more: Invited) =>
            o.complete(by, o.one, fragment.completion_token, { username: newName(), ...more });
          const { code: invitation } = await byOperator(o.world);

          expect((await complete({})).code).equal("invitation_required");
          expect((await complete({ invitation: "no code" })).code).equal("invitation_invalid");
          expect((await complete({ invitation })).status).equal(200);

          const other = o.browser();
          expect((await o.signIn(other, o.one, login)).fragment).deep.equal({});
          expect(await o.whoIs(other)).a("string");
        });
    });
  }
});

describe("guesses of invitations", () => {
  const { world } = setUpWorld({
    instance: { signUp: "invitation" },
    rateLimitFactor: 1,
    trustedProxies: ["127.0.0.0/8"],
  });

  it("are five an hour of an address, like registrations", async () => {
    const api = world.api.with({ "x-forwarded-for": `2001:db8:${randomInt(0x10000).toString(16)}::1` });
    const answers: string[] = [];
    for (let n = 0; n < 6; n++) answers.push(codeOf(await register({ api }, { invitation: "a guess" })));

    expect(answers).deep.equal([...Array(5).fill("invitation_invalid"), "rate_limited"]);
  });
});
