import { randomInt } from "node:crypto";
import { expect } from "chai";
import { createPasswords } from "../../../actors/accounts/passwords/passwords.ts";
import { createStrengthThread, SIGN_UP_CHECK } from "../../../actors/accounts/passwords/strength/strength.ts";
import { createSignUpCheck } from "../../../actors/accounts/sign-in/sign-up-check.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { movableClock } from "../../support/clock.ts";
import type { Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { newName, PASSWORD } from "./open-accounts.ts";

describe("sign-up check of a username", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const stateOf = async (username: string) =>
    (await world.api.ok("checkSignUp", { body: { username } })).username?.state;
  const registering = async (username: string) => {
    const body = { username, email: `${newName()}@example.org`, password: PASSWORD };
    const { status, code, details } = await world.api
      .with({ "x-auth-mode": "bearer" })
      .call("register", { body });
    const rule = Object(Array.isArray(details.errors) ? details.errors[0] : null).rule;
    return rule ?? code ?? status;
  };

  it("calls a free name available, in any casing and as it is typed", async () => {
    const name = newName();

    expect([await stateOf(name), await stateOf(` ${name.toUpperCase()} `)]).deep.equal([
      "available",
      "available",
    ]);
    expect(await registering(name)).equal(201);
    expect(await stateOf(name.toUpperCase())).equal("taken");
  });

  it("says of each name what registering it says", async () => {
    for (const [username, state, refusal] of [
      ["ab", "invalid", "pattern"],
      ["_abc", "invalid", "pattern"],
      ["näme", "invalid", "pattern"],
      ["admin", "reserved", "reserved"],
      ["ADM1N", "reserved", "reserved"],
      ["about", "reserved", "reserved"],
    ] as const) {
      expect(await stateOf(username), username).equal(state);
      expect(await registering(username), username).equal(refusal);
    }
    expect(await stateOf("x".repeat(60))).equal("invalid");
  });

  it("calls a name taken that is kept for its former owner, until its time is over", async () => {
    const person = await given.user();
    await person.api.ok("updateMe", { body: { username: newName() } });

    expect(await stateOf(person.username)).equal("taken");
    expect(await registering(person.username)).equal("username_taken");

    const { isNameTaken } = usersIn(world.core.mongo.db);
    expect(await isNameTaken(person.username, new Date(world.clock.now() + 181 * DAY_MS))).equal(false);
  });

  it("calls a name taken that looks like a verified account's", async () => {
    const staff: Person = await givenStaff(world, given).staff();
    const name = `mowl${newName()}`.slice(0, 20);
    await registering(name);
    const { items } = await staff.api.ok("listUsers", { query: { q: name } });
    const params = { account_id: items[0]?.id ?? "" };
    await staff.api.ok("updateUser", { params, body: { is_verified: true } });
    const alike = name.replace("mowl", "rnovvl");

    expect([await stateOf(alike), await registering(alike)]).deep.equal(["taken", "username_taken"]);
  });

  it("answers what was asked about alone, and refuses to be asked nothing", async () => {
    expect(await world.api.ok("checkSignUp", { body: { username: newName() } })).not.have.property(
      "password",
    );
    expect(await world.api.ok("checkSignUp", { body: { password: PASSWORD } })).not.have.property("username");
    expect((await world.api.call("checkSignUp", { body: {} })).code).equal("validation_failed");
  });
});

describe("sign-up check of a password", () => {
  const users = { isNameTaken: async () => false };
  const passwords = createPasswords();
  const check = createSignUpCheck({ users, passwords, clock: movableClock() });

  const hintOf = async (password: string, username?: string) =>
    (await check({ password, username })).password?.hint;

  it("names why it isn't accepted, by the rules of registering", async () => {
    expect(await hintOf("short")).equal("too_short");
    expect(await hintOf("Password123")).equal("common");
    expect(await hintOf("abababababab")).equal("few_characters");
    expect(await hintOf("GraceHopper", "gracehopper")).equal("own_words");
    expect(await hintOf("asdfghjkl1234", "gracehopper")).equal("guessable");
    for (const password of ["Password123", "abababababab", "asdfghjkl1234"]) {
      const refused = await passwords.requireStrong(password, { username: "gracehopper", email: "" }).then(
        () => false,
        () => true,
      );
      expect(refused, password).equal(true);
    }
  });

  it("scores what it accepts from 3 on, and takes the username into account", async () => {
    const strong = (await check({ password: "four sparrows on a wire" })).password;
    expect(strong).include({ isAccepted: true, hint: null });
    expect(strong?.score).within(3, 4);

    const own = (await check({ password: "wetterfrosch77", username: "wetterfrosch77x" })).password;
    const others = (await check({ password: "wetterfrosch77" })).password;
    expect(own?.score).at.most(others?.score ?? 0);
  });

  it("takes up no place of those who register", async () => {
    const { estimate } = createStrengthThread();

    const flood = Array.from({ length: 60 }, (_, n) =>
      estimate(`a flood of passwords ${n}`, [], SIGN_UP_CHECK).then(
        () => "accepted",
        () => "refused",
      ),
    );
    const newcomer = await estimate("a newcomer's password", []);

    expect(newcomer).within(0, 4);
    const outcomes = await Promise.all(flood);
    expect(outcomes.filter((outcome) => outcome === "refused").length).at.least(38);
  });
});

describe("sign-up checks of an address", () => {
  const { world } = setUpWorld({ rateLimitFactor: 1, trustedProxies: ["127.0.0.0/8"] });

  it("are thirty a minute, in a bucket of their own", async () => {
    const api = world.api.with({ "x-forwarded-for": `2001:db8:${randomInt(0x10000).toString(16)}::1` });
    const ask = () => api.call("checkSignUp", { body: { username: newName() } });

    const answers = [];
    for (let n = 0; n < 31; n++) answers.push(await ask());

    expect(answers.slice(0, 30).map(({ status }) => status)).deep.equal(Array(30).fill(200));
    expect(answers[30]?.details).include({ bucket: "sign_up_checks", limit: 30 });
    const body = { username: newName(), email: `${newName()}@example.org`, password: PASSWORD };
    expect((await api.call("register", { body })).status).equal(201);
  });
});
