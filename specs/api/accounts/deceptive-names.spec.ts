import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { isReservedName } from "../../../actors/accounts/profile/reserved-names.ts";
import { newId } from "../../../base/ids.ts";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { type UserDoc, usersCollection, usersIn } from "../../../store/mongo/accounts/users.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { skeletonsOfVerified } from "../../../store/mongo/schema/migrations/0009-skeletons-of-verified.ts";
import { type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { type OpenedOauth, openOauth } from "./oauth/open-oauth.ts";

describe("deceptive usernames", () => {
  let o: OpenedOauth;
  let given: Given;
  let staff: Person;
  before(async () => {
    o = await openOauth();
    given = givenChannels(o.world);
    staff = await givenStaff(o.world, given).staff();
  });
  after(() => o.close());

  const users = () => usersCollection.in(o.world.core.mongo.db);
  const newName = () => `mowl${randomBytes(5).toString("hex")}`;
  const similarTo = (name: string) => [
    name.replace("m", "rn"),
    name.replace("o", "0"),
    name.replace("l", "1"),
    name.replace("w", "vv"),
    name.replace("l", "I"),
    name.replace("o", "_o_"),
    `R_N${name.slice(1)}_`,
  ];

  async function register(username: string): Promise<string> {
    const body = { username, email: `${newId()}@example.org`, password: "a long phrase for specs" };
    const { status, code } = await o.world.api.with({ "x-auth-mode": "bearer" }).call("register", { body });
    return code ?? String(status);
  }

  async function rename(person: Person, username: string): Promise<string> {
    const { status, code } = await person.api.call("updateMe", { body: { username } });
    return code ?? String(status);
  }

  async function byProvider(username: string): Promise<unknown> {
    const browser = o.browser();
    const login = o.there(o.one, { email: `${newId()}@example.org`, email_verified: true });
    const { fragment } = await o.signIn(browser, o.one, login);
    const made = await o.complete(browser, o.one, fragment.completion_token, { username });
    return made.code ?? String(made.status);
  }

  const verify = (person: Person, is_verified = true) =>
    staff.api.ok("updateUser", { params: { account_id: person.id }, body: { is_verified } });

  /** An account with that name, made without any check. */
  async function renamed(person: Person, username: string, more: Partial<UserDoc> = {}): Promise<void> {
    await users().updateOne({ _id: person.id }, { $set: { username, usernameTitle: username, ...more } });
  }

  async function verified(): Promise<{ person: Person; name: string }> {
    const [person, name] = [await given.user(), newName()];
    expect(await rename(person, name)).equal("200");
    await verify(person);
    return { person, name };
  }

  describe("reserved words", () => {
    it("reserves the first path segments of all operations, below the version too", () => {
      const segments = operationsOf(readOpenApi()).flatMap(({ path }) => {
        const [first = "", second = ""] = path.split("/").slice(1);
        return first === "v1" ? [first, second] : [first];
      });
      expect(segments).include.members(["v1", "healthz", "whispers"]);

      expect(segments.filter((segment) => !isReservedName(segment))).deep.equal([]);
    });

    it("reserves the first path segment of every page and file", () => {
      const segments = o.world.paths.map((path) => path.split("/")[1] ?? "");
      const words = segments.filter((segment) => segment !== "" && !segment.startsWith(":"));
      expect(words).include.members(["docs", "account", "files", "embed", "robots.txt", "sitemaps"]);

      expect(words.filter((word) => !isReservedName(word))).deep.equal([]);
    });

    for (const username of ["adm1n", "S_u_p_p_o_r_t", "0AUTH", "c0nsole", "overIay", "rnod", "open_api"]) {
      it(`refuses ${username} to new, provider-made and renamed accounts`, async () => {
        const doors = [register(username), rename(await given.user(), username), byProvider(username)];
        expect(await Promise.all(doors)).deep.equal(doors.map(() => "validation_failed"));
      });
    }

    it("lets an account keep a reserved name and change its case", async () => {
      const person = await given.user();
      await renamed(person, "overlay");

      const { username_title } = await person.api.ok("updateMe", { body: { username: "OverLay" } });

      expect(username_title).equal("OverLay");
    });
  });

  describe("names similar to a verified account's", () => {
    it("refuses a similar name wherever its pairs of letters begin", async () => {
      const [person, name] = [await given.user(), newName()];
      expect(await rename(person, `vw${name.slice(4)}`)).equal("200");
      await verify(person);

      expect(await register(`vvv${name.slice(4)}`)).equal("username_taken");
      expect(await register(`wv${name.slice(4)}`)).equal("username_taken");
    });

    it("refuses a similar name to new, provider-made and renamed accounts", async () => {
      const { name } = await verified();
      const other = await given.user();

      for (const similar of similarTo(name)) {
        const doors = [register(similar), rename(other, similar), byProvider(similar)];
        expect(await Promise.all(doors), similar).deep.equal(doors.map(() => "username_taken"));
      }
    });

    it("accepts similar names of accounts that aren't verified", async () => {
      const name = newName();

      expect(await register(name)).equal("201");
      for (const similar of similarTo(name).slice(0, 3)) expect(await register(similar)).equal("201");
    });

    it("lets accounts keep similar names from before the verification", async () => {
      const [person, other, name] = [await given.user(), await given.user(), newName()];
      const [before = ""] = similarTo(name);
      expect([await rename(person, name), await rename(other, before)]).deep.equal(["200", "200"]);

      await verify(person);

      expect((await other.api.ok("getMe", {})).username).equal(before);
      expect(await rename(other, before.toUpperCase())).equal("200");
    });

    it("accepts a similar name of the verified account itself", async () => {
      const { person, name } = await verified();
      await users().updateOne({ _id: person.id }, { $set: { usernameChangedAt: null } });

      expect(await rename(person, `${name}_`)).equal("200");
      expect(await register(name.replace("o", "0"))).equal("username_taken");
    });

    it("compares with the new name alone after a verified account was renamed", async () => {
      const [{ person, name }, next] = [await verified(), newName()];
      await users().updateOne({ _id: person.id }, { $set: { usernameChangedAt: null } });

      expect(await rename(person, next)).equal("200");

      expect(await register(next.replace("m", "rn"))).equal("username_taken");
      expect(await register(name.replace("m", "rn"))).equal("201");
    });

    it("compares with the current name after a rename concurrent with the verification", async () => {
      for (let i = 0; i < 5; i++) {
        const [person, name] = [await given.user(), newName()];

        const [changed] = await Promise.all([rename(person, name), verify(person)]);

        expect(changed).equal("200");
        expect(await register(name.replace("l", "1"))).equal("username_taken");
      }
    });

    it("accepts a similar name once the account is unverified or erased", async () => {
      const [first, second] = [await verified(), await verified()];
      await verify(first.person, false);
      const { client, db } = o.world.core.mongo;
      await inTransaction(client, (session) => usersIn(db).remove(second.person.id, session));

      expect(await register(first.name.replace("o", "0"))).equal("201");
      expect(await register(second.name.replace("o", "0"))).equal("201");
    });

    it("compares with names of older releases after the migration or a verification", async () => {
      const { db } = o.world.core.mongo;
      const [before, after] = [await given.user(), await given.user()];
      const [old, late] = [newName(), newName()];
      await renamed(before, old, { isVerified: true });
      await renamed(after, late);
      const ids = { _id: { $in: [before.id, after.id] } };
      await users().updateMany(ids, { $unset: { nameSkeleton: "" } });

      await skeletonsOfVerified.run(db);
      await verify(after);

      expect(await register(old.replace("o", "0"))).equal("username_taken");
      expect(await register(late.replace("o", "0"))).equal("username_taken");
    });

    it("finds verified accounts with that skeleton by an index", async () => {
      const similar = { nameSkeleton: "mo1", isVerified: true, _id: { $ne: newId() } };
      const { queryPlanner } = await users().find(similar).explain("queryPlanner");

      expect(JSON.stringify(queryPlanner.winningPlan)).include('"nameSkeleton_1"');
    });
  });
});
