import { expect } from "chai";
import { createListCursors } from "../../../api/http/list-cursors.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { JsonObject } from "../../../contract/json.ts";
import { expandPage } from "../../../contract/openapi/pages.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

type Page<Item> = { items: Item[]; has_more: boolean; before_cursor?: string | null };

/** Reads a list to its end, and does something after each page. */
async function exported<Item>(
  read: (query: { before?: string; per_page: number }) => Promise<Page<Item>>,
  between: (n: number) => Promise<void> = async () => undefined,
): Promise<Item[]> {
  const items: Item[] = [];
  let before: string | null = null;
  for (let n = 0; n < 50; n++) {
    const page: Page<Item> = await read({ per_page: 2, ...(before === null ? {} : { before }) });
    expect(page.has_more).equal(page.before_cursor !== null);
    if (page.has_more) expect(page.items).not.deep.equal([]);
    items.push(...page.items);
    before = page.before_cursor ?? null;
    if (before === null) return items;
    await between(n);
  }
  throw new Error("the list has no end");
}

describe("lists with the newest first", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld();

  const users = (count: number) => Promise.all(Array.from({ length: count }, () => given.user()));
  const follow = (by: Person, whom: Person) => by.api.ok("followUser", { params: { user_id: whom.id } });
  const unfollow = (by: Person, whom: Person) => by.api.ok("unfollowUser", { params: { user_id: whom.id } });

  it("fail the generated document when an operation doesn't say whether it is one", () => {
    const list = { operationId: "listThings", "x-page-of": "Thing" };
    expect(() => expandPage({ ...list }, {})).throw("listThings: x-newest-first has to be true or false");

    for (const isOne of [true, false]) {
      const operation: JsonObject = { ...list, "x-newest-first": isOne };
      expandPage(operation, {});
      expect(JSON.stringify(operation.parameters).includes("BeforeItem")).equal(isOne);
    }
  });

  it("export each follower once while others come and go", async () => {
    const star = await given.user();
    const [fans, late] = [await users(7), await users(4)];
    for (const fan of fans) await follow(fan, star);
    const [gone] = fans;
    if (!gone) throw new Error("there are seven");

    const found = await exported(
      (query) => world.api.ok("listFollowers", { params: { username: star.username }, query }),
      async (n) => {
        const next = late[n];
        if (next) await follow(next, star);
        // Of those already read, which moves pages up.
        const read = fans[fans.length - 1 - n];
        if (read && n < 2) await unfollow(read, star);
      },
    );

    expect(found.map(({ id }) => id)).deep.equal(fans.map(({ id }) => id).reverse());
  });

  it("export each notification once while others come and go", async () => {
    const channel = await given.channel();
    const fans = await users(6);
    const api = channel.owner.api;
    for (const [n, fan] of fans.slice(0, 5).entries()) {
      await follow(fan, channel.owner);
      await eventually(async () => (await api.ok("listNotifications")).total === n + 1, {
        what: "it arrives",
      });
    }
    const before = (await api.ok("listNotifications")).items.map(({ id }) => id);

    const found = await exported(
      (query) => api.ok("listNotifications", { query }),
      async (n) => {
        const [sixth] = fans.slice(5);
        if (n > 0 || !sixth) return;
        await follow(sixth, channel.owner);
        await eventually(async () => (await api.ok("listNotifications")).total === 6, { what: "it arrives" });
        await api.ok("deleteNotification", { params: { notification_id: String(before[0]) } });
      },
    );

    expect(found.map(({ id }) => id)).deep.equal(before);
  });

  it("have a conversation that got a whisper meanwhile on their first page, and each other once", async () => {
    const [reader, ...others] = await users(5);
    const [first] = others;
    if (!reader || !first) throw new Error("there are five");
    const everybody = { _id: { $in: [reader, ...others].map(({ id }) => id) } };
    await usersCollection
      .in(world.core.mongo.db)
      .updateMany(everybody, { $set: { emailVerifiedAt: new Date() } });
    const whisper = (by: Person) =>
      by.api.ok("sendWhisper", { params: { user_id: reader.id }, body: { content: "Psst" } });
    for (const other of others) await whisper(other);

    const list = (query: Record<string, string | number> = {}) =>
      reader.api.ok("listWhisperConversations", { query });
    const read = async (n: number) => void (n === 0 && (await whisper(first)));
    const found = await exported(list, read);

    const ids = (items: { user_id: string }[]) => items.map(({ user_id }) => user_id);
    const [, ...later] = others.map(({ id }) => id);
    expect(ids(found)).deep.equal(later.toReversed());
    expect(ids((await list({ per_page: 1 })).items)).deep.equal([first.id]);
  });

  it("have no empty page before their end, though banned accounts fill pages", async () => {
    const star = await given.user();
    const fans = await users(8);
    for (const fan of fans) await follow(fan, star);
    const staff = await givenStaff(world, given).staff();
    for (const fan of fans.slice(2, 7)) {
      const params = { account_id: fan.id };
      await staff.api.ok("banAccount", { params, body: { reason: "Insults" } });
    }
    const shown = [fans[7], fans[1], fans[0]].map((fan) => fan?.id);

    const read = (query: Record<string, string | number>) =>
      world.api.ok("listFollowers", { params: { username: star.username }, query });
    expect((await exported(read)).map(({ id }) => id)).deep.equal(shown);
    const [first, second, last] = [
      await read({ per_page: 2 }),
      await read({ per_page: 2, page: 2 }),
      await read({ per_page: 2, page: 5 }),
    ];
    expect(first.items.map(({ id }) => id)).deep.equal(shown.slice(0, 1));
    expect(second.items.map(({ id }) => id)).deep.equal(shown.slice(1));
    expect([last.items, last.has_more, last.before_cursor]).deep.equal([[], false, null]);
  });

  it("give cursors that name nobody, nor can be made up or used in another list", async () => {
    const [star, ...fans] = await users(4);
    if (!star) throw new Error("there are four");
    for (const fan of fans) {
      await follow(fan, star);
      await follow(star, fan);
    }
    const [, hidden] = fans.toReversed();
    if (!hidden) throw new Error("there are three");
    const staff = await givenStaff(world, given).staff();
    await staff.api.ok("banAccount", { params: { account_id: hidden.id }, body: { reason: "Insults" } });
    const params = { username: star.username };

    type Query = Record<string, string | number>;
    const lists = [
      (query: Query) => world.api.call("listFollowers", { params, query }),
      (query: Query) => world.api.call("listFollowing", { params, query }),
    ];
    const pageIn = async (answer: ReturnType<(typeof lists)[number]>) => {
      const { body } = await answer;
      return body as Page<{ id: string }>;
    };
    for (const [n, read] of lists.entries()) {
      const first = await pageIn(read({ per_page: 2 }));
      const before = String(first.before_cursor);

      // The second of the page is the banned one.
      expect(first.items.map(({ id }) => id)).deep.equal([fans[2]?.id]);
      const decoded = (text: string) => Buffer.from(text, "base64url").toString();
      const bytes = Buffer.from(before, "base64url");
      for (const id of [hidden.id, star.id, hidden.id.replaceAll("-", "")])
        for (const text of [bytes.toString(), bytes.toString("hex"), before, decoded(bytes.toString())])
          expect(text).not.include(id);
      expect((await pageIn(read({ before }))).items.map(({ id }) => id)).deep.equal([fans[0]?.id]);
      expect((await pageIn(read({ per_page: 2 }))).before_cursor).equal(before);
      const other = lists[1 - n] ?? read;
      expect((await other({ before })).code).equal("validation_failed");
      const last = bytes.length - 1;
      bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last);
      const place = JSON.stringify([{ ms: Date.now() }, `${hidden.id}:${star.id}`]);
      for (const forged of [bytes, Buffer.from(place), Buffer.alloc(28), Buffer.from("a")])
        expect((await read({ before: forged.toString("base64url") })).code).equal("validation_failed");
    }
  });

  it("take cursors that were given under an older master key while that is configured", () => {
    const given = createListCursors("older")("list").encrypt("place");

    expect(createListCursors(["newer", "older"])("list").decrypt(given)).equal("place");
    expect(() => createListCursors("newer")("list").decrypt(given)).throw(ServiceError);
    expect(() => createListCursors("older")("other").decrypt(given)).throw(ServiceError);
  });

  it("refuse what isn't a cursor", async () => {
    const { api } = await given.user();
    const before = Buffer.from("[1]").toString("base64url");
    const refused = [
      api.call("listNotifications", { query: { before } }),
      api.call("listNotifications", { query: { before: "no cursor!" } }),
    ];
    for (const answer of await Promise.all(refused)) expect(answer.code).equal("validation_failed");
  });
});
