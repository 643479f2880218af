import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { streamTitlesCollection } from "../../../../store/mongo/channels/stream-titles.ts";
import type { Success } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import { erased } from "../../../support/erased.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Given, givenChannels, type Person } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { setUpClips } from "../../live/clips/set-up-clips.ts";

const PASSWORD = "a long phrase for specs";

describe("GET /v1/search", function () {
  this.timeout(60_000);
  let world: World;
  let given: Given;
  let staff: Person;
  /** Anonymous answers may be a second old. */
  let reader: Person;
  before(async () => {
    world = await openWorld({ clock: movableClock(), stores: openOwnStores });
    given = givenChannels(world);
    staff = await givenStaff(world, given).staff();
  });
  after(() => world.close());
  beforeEach(async () => {
    reader = await given.user();
  });

  type Results = Success<"search">;
  const found = (q: string, more: Record<string, string | number> = {}, by: Pick<Person, "api"> = reader) =>
    by.api.ok("search", { query: { q, ...more } });
  const users = async (q: string, by?: Pick<Person, "api">) =>
    (await found(q, { type: "users" }, by)).users.map(({ username }) => username);
  const streams = async (q: string, by?: Pick<Person, "api">) =>
    (await found(q, { type: "streams" }, by)).streams.map(({ name }) => name);
  const nothing: Results = { streams: [], users: [], categories: [], clips: [] };

  async function named(username: string): Promise<Person> {
    const person = await given.user();
    await person.api.ok("updateMe", { body: { username } });
    return { ...person, username };
  }
  const titled = async (name: string): Promise<Person> => {
    const { owner } = await given.channel();
    await owner.api.ok("updateMyStream", { body: { name } });
    return owner;
  };
  /** Letters that no other name has. */
  const own = () => [...randomBytes(6)].map((byte) => "abcdefghijklmnop"[byte % 16]).join("");
  const follow = (by: Person, whom: Person) => by.api.ok("followUser", { params: { user_id: whom.id } });

  it("finds users by the beginning of a word of their name, and with one error", async () => {
    const name = own();
    await named(`the_${name}`);

    expect(await users(`the_${name}`)).deep.equal([`the_${name}`]);
    expect(await users(`THE ${name.slice(0, 4)}`)).deep.equal([`the_${name}`]);
    expect(await users(name.slice(0, 5))).deep.equal([`the_${name}`]);
    expect(await users(`the${name}x`)).deep.equal([`the_${name}`]);
    expect(await users(`x${name}`)).deep.equal([`the_${name}`]);
    expect(await users(`xx${name}`)).deep.equal([]);
  });

  it("shows first what is called so, then what begins so, by followers; errors where there is nothing else", async () => {
    const name = own();
    const [exact, few, many, wrong] = [
      await named(name),
      await named(`${name}few`),
      await named(`${name}many`),
      await named(`${name.slice(0, -1)}9`),
    ];
    for (const whom of [many, many, few, wrong, wrong, wrong]) await follow(await given.user(), whom);
    // As the job does some seconds later.
    await world.core.searchWeights.sweep();

    const namesOf = (all: Person[]) => all.map(({ username }) => username);
    expect(await users(name)).deep.equal(namesOf([exact, many, few]));
    const mistyped = `${name.slice(0, -1)}8`;
    expect(await users(mistyped)).deep.equal(namesOf([wrong, exact, many, few]));
  });

  it("finds streams by their title and by their channel's name, a live one before others", async () => {
    const name = own();
    await titled(`Evening of ${name}`);
    const { stream, owner } = await given.liveChannel();
    await owner.api.ok("updateMyStream", { body: { name: `Another ${name}` } });
    const channel = await named(`${name}_tv`);

    const { streams: cards } = await found(name, { type: "streams" });

    expect(cards.map((card) => card.name)).members([
      `Evening of ${name}`,
      `Another ${name}`,
      (await ownOf(channel)).name,
    ]);
    expect(cards[0]).include({ id: stream.id, is_live: true });
    expect(cards[0]).not.property("tags");
    expect(await streams(`evning ${name}`)).deep.equal([`Evening of ${name}`]);
    await given.hook("publish_done", { key: stream.stream_key });
  });
  const ownOf = ({ api }: Person) => api.ok("getMyStream");

  it("finds categories, and one under its new name alone", async () => {
    const name = own();
    const { id, slug } = await staff.api.ok("createCategory", { body: { name: `Art of ${name}` } });
    expect((await found(name)).categories).deep.equal([{ id, slug, name: `Art of ${name}` }]);

    await staff.api.ok("updateCategory", { params: { category_id: id }, body: { name: "Pottery" } });

    expect((await found(name)).categories).deep.equal([]);
    expect((await found("potery")).categories).deep.equal([{ id, slug, name: "Pottery" }]);
    await staff.api.ok("deleteCategory", { params: { category_id: id } });
    expect((await found("pottery")).categories).deep.equal([]);
  });

  it("suggests channels while their name is typed: the best match, then live ones, then by followers", async () => {
    const name = own();
    const [exact, followed] = [await named(name), await named(`${name}followed`)];
    await follow(await given.user(), followed);
    await world.core.searchWeights.sweep();
    const live = await given.liveChannel();
    await live.owner.api.ok("updateMe", { body: { username: `${name}live` } });
    for (const n of [1, 2, 3, 4, 5, 6]) await named(`${name}${n}`);
    const { id, slug } = await staff.api.ok("createCategory", { body: { name: `Art of ${name}` } });

    const suggested = await reader.api.ok("listSearchSuggestions", { query: { q: name } });

    const [first, second, third, ...others] = suggested.channels;
    expect([first, second, third]).deep.equal([
      { ...summaryOf(exact), is_live: false },
      { ...summaryOf({ ...live.owner, username: `${name}live` }), is_live: true },
      { ...summaryOf(followed), is_live: false },
    ]);
    expect(others).length(5);
    expect(suggested.categories).deep.equal([{ id, slug, name: `Art of ${name}` }]);
    await reader.api.ok("blockUser", { params: { user_id: exact.id } });
    const left = await reader.api.ok("listSearchSuggestions", { query: { q: name } });
    expect(left.channels.map((one) => one.id)).not.include(exact.id);
    await given.hook("publish_done", { key: live.stream.stream_key });
    await staff.api.ok("deleteCategory", { params: { category_id: id } });
  });
  const summaryOf = ({ id, username }: Person) => ({
    id,
    username,
    username_title: username,
    image_url: null,
  });

  it("answers only with the requested kind, and with so many of it", async () => {
    const name = own();
    for (const n of [1, 2, 3]) await named(`${name}${n}`);

    const { users: some, ...others } = await found(name, { type: "users", limit: 2 });

    expect(some).length(2);
    expect(others).deep.equal({ streams: [], categories: [], clips: [] });
    expect((await found(name, { type: "streams" })).users).deep.equal([]);
    for (const limit of [0, 51])
      expect((await reader.api.call("search", { query: { q: name, limit } })).code).equal(
        "validation_failed",
      );
  });

  it("knows a user by the new name alone, and nobody who is deleted or banned, nor what is theirs", async () => {
    const name = own();
    const person = await named(`${name}_one`);
    await person.api.ok("updateMyStream", { body: { name: `Show of ${name}` } });
    world.clock.move(61 * 86_400_000);
    reader = await given.user();
    const again = await given.signedInAgain(person);
    const username = `x_${own()}`;
    await again.api.ok("updateMe", { body: { username } });
    expect(await users(name)).deep.equal([]);
    expect(await streams(name)).deep.equal([`Show of ${name}`]);
    const kept = await usersCollection.in(world.core.mongo.db).findOne({ _id: person.id });
    expect(JSON.stringify(kept)).not.include(name);

    const staffAgain = await given.signedInAgain(staff);
    await staffAgain.api.ok("banAccount", { params: { account_id: person.id }, body: { reason: "Insults" } });
    expect(await found(name)).deep.equal(nothing);
    await staffAgain.api.ok("unbanAccount", { params: { account_id: person.id } });
    expect(await streams(name)).deep.equal([`Show of ${name}`]);

    const back = await given.signedInAgain({ ...person, username });
    await back.api.ok("deleteMe", { body: { password: PASSWORD } });
    expect(await found(name)).deep.equal(nothing);
    world.clock.move(31 * 86_400_000);
    await erased(world, person.id);
    const titles = streamTitlesCollection.in(world.core.mongo.db);
    expect(await titles.countDocuments({ userId: person.id })).equal(0);
    staff = await given.signedInAgain(staff);
  });

  it("leaves out those of blocks in either direction, for who is signed in", async () => {
    const name = own();
    const [one, other] = [await named(`${name}_a`), await named(`${name}_b`)];
    await one.api.ok("blockUser", { params: { user_id: other.id } });

    expect(await users(name, one)).deep.equal([one.username]);
    expect(await users(name, other)).deep.equal([other.username]);
    expect(await users(name, world)).members([one.username, other.username]);
    expect(await streams(name, one)).length(1);
    expect(await streams(name, world)).length(2);
  });

  it("finds what is written without spaces, and in other scripts", async () => {
    await titled("東京ライブ配信");
    await titled("Ночной эфир");

    expect(await streams("ライブ")).deep.equal(["東京ライブ配信"]);
    expect(await streams("НОЧНОЙ эфри")).deep.equal(["Ночной эфир"]);
  });

  it("answers queries of any kind, and harms nothing", async () => {
    const hostile = [
      ...[" ", "$", "$where", ".*", "(a+)+$", "\\", "'; db.dropDatabase()", "{$gt:''}", "[object Object]"],
      ...[
        "__proto__",
        "constructor",
        "%00",
        "a".repeat(100),
        "ab ".repeat(33),
        "🎉",
        "\u202e",
        "ﷺ".repeat(100),
      ],
      ...["́".repeat(100), "=", "~abcd", "a*", "İ".repeat(100)],
    ];
    for (const q of hostile)
      expect((await reader.api.call("search", { query: { q } })).status, q).oneOf([200, 400]);
    expect(await found("$")).deep.equal(nothing);
    for (const query of ["", "?q=", `?q=${"a".repeat(101)}`, "?q=a&q=b", "?q[$gt]=", "?q=a&type=all,users"])
      expect((await fetch(`${world.baseUrl}/v1/search${query}`)).status, query).equal(400);
  });

  it("takes from a bucket of its own", async () => {
    const answer = await (await given.user()).api.call("search", { query: { q: newId() } });

    expect(answer.headers.get("ratelimit-policy")).include("60;w=60");
  });
});

describe("clips that searches find", function () {
  this.timeout(60_000);
  const { world, given, clips } = setUpClips({ clock: movableClock(), stores: openOwnStores });

  const titles = async (q: string) =>
    (await (await given.user()).api.ok("search", { query: { q, type: "clips" } })).clips.map(
      ({ title }) => title,
    );

  it("are those that are ready and public, under their title of now, those with most views first", async () => {
    const channel = await given.liveChannel();
    world.clock.move(20_000);
    const [maker, viewer] = [await given.user(), await given.user()];
    const ready = (title: string, more = {}) => clips.ready(maker, channel, { title, ...more });
    const [one, other] = [await ready("Save of the year"), await ready("Save of the week")];
    await ready("Save unlisted", { visibility: "unlisted" });
    await ready("Save private", { visibility: "private" });
    await clips.made(maker, channel, { title: "Save in the making" });
    await viewer.api.ok("viewClip", { params: { clip_id: other.id } });
    await eventually(
      async () => expect(await titles("save")).deep.equal(["Save of the week", "Save of the year"]),
      { withinMs: 20_000 },
    );
    const liked = await viewer.api.ok("likeClip", { params: { clip_id: one.id } });

    const { clips: seen } = await viewer.api.ok("search", { query: { q: "yaer save" } });
    expect(seen).deep.equal([liked]);
    expect((await world.api.ok("search", { query: { q: "save year" } })).clips[0]).not.property("liked");

    const at = { params: { clip_id: one.id } };
    await maker.api.ok("updateClip", { ...at, body: { title: "Goal of the year" } });
    expect(await titles("save")).deep.equal(["Save of the week"]);
    expect(await titles("goal")).deep.equal(["Goal of the year"]);
    await maker.api.ok("updateClip", { ...at, body: { visibility: "private" } });
    expect(await titles("goal")).deep.equal([]);
    await maker.api.ok("deleteClip", { params: { clip_id: other.id } });
    expect(await titles("save")).deep.equal([]);
  });
});
