import { expect } from "chai";
import { BROADCAST_GRACE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { renewAllTags } from "../../../../jobs/discovery/tags/renew.ts";
import { categoriesIn } from "../../../../store/mongo/discovery/categories.ts";
import { tagsAsSeen } from "../../../../store/mongo/schema/migrations/0011-tags-as-seen.ts";
import type { Success } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("the list of live streams", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  // A category of this run's own: other specs go live in the same database.
  const category = { id: newId(), name: "A category" };
  const channels: Channel[] = [];

  before(async () => {
    const { id: _id, name } = category;
    const record = {
      _id,
      slug: _id,
      name,
      coverImage: null,
      parentId: null,
      tags: [],
      createdAt: new Date(),
    };
    await categoriesIn(world.core.mongo.db).insertMissing([record]);
    for (const [language, tags, is_mature] of [
      ["de", ["cosy"], false],
      ["en", ["cosy", "loud"], false],
      ["en", ["loud"], true],
    ] as const) {
      const channel = await given.channel();
      await channel.owner.api.ok("updateMyStream", {
        body: { category_id: category.id, language, tags, is_mature },
      });
      channels.push(channel);
    }
    for (const channel of channels) await given.goLive(channel);
  });

  const list = (query: Record<string, string | number | boolean>) =>
    world.api.ok("listStreams", { query: { category_id: category.id, ...query } });
  const idsOf = ({ items }: Success<"listStreams">) => items.map((item) => item.id);
  const ids = (...indexes: number[]) => indexes.map((index) => channels[index]?.stream.id);

  it("has the live ones alone, with their owners", async () => {
    const offline = await given.channel();
    await offline.owner.api.ok("updateMyStream", { body: { category_id: category.id } });

    const page = await list({});

    expect(idsOf(page)).have.members(ids(0, 1, 2));
    expect(page).include({ page: 1, per_page: 24, total: 3, has_more: false });
    const [card] = page.items;
    expect(card?.category).deep.equal({ ...category, slug: category.id });
    expect(channels.map(({ owner }) => owner.id)).include(card?.user.id);
  });

  it("is filtered by language, tag and maturity", async () => {
    expect(idsOf(await list({ language: "en" }))).have.members(ids(1, 2));
    for (const tag of ["cosy", "Cosy"]) expect(idsOf(await list({ tag }))).have.members(ids(0, 1));
    expect(idsOf(await list({ is_mature: true }))).deep.equal(ids(2));
    expect(idsOf(await list({ language: "en", is_mature: false, tag: "loud" }))).deep.equal(ids(1));
    expect(idsOf(await list({ language: "fr" }))).deep.equal([]);
  });

  it("finds a tag in any form that looks the same, also where an older release stored it", async () => {
    const { db } = world.core.mongo;
    const [first, second] = channels.map(({ stream }) => stream.id);
    const streams = db.collection<{ _id: string; tags: string[] }>("streams");
    const before = await streams.find({ _id: { $in: [String(first), String(second)] } }).toArray();
    await streams.updateOne({ _id: String(first) }, { $set: { tags: ["i̇stanbul", " café "] } });
    await streams.updateOne({ _id: String(second) }, { $set: { tags: ["istanbul", "café"] } });

    expect(idsOf(await list({ tag: "İstanbul" }))).have.members(ids(0, 1));
    expect(idsOf(await list({ tag: "ＣＡＦＥ\u0301" }))).deep.equal(ids(1));
    await tagsAsSeen.run(db);
    expect(idsOf(await list({ tag: "ISTANBUL" }))).have.members(ids(0, 1));
    expect(idsOf(await list({ tag: " Café" }))).have.members(ids(0, 1));

    const stays = "㍿".repeat(20);
    await streams.updateOne({ _id: String(first) }, { $set: { tags: [stays, "ＬＯＵＤ"] } });
    await renewAllTags(db, () => new Date(), 20);
    expect((await streams.findOne({ _id: String(first) }))?.tags).deep.equal([stays, "loud"]);
    expect(idsOf(await list({ tag: stays }))).deep.equal(ids(0));

    for (const { _id, tags } of before) await streams.updateOne({ _id }, { $set: { tags } });
  });

  it("is sorted by the latest, and cut into pages", async () => {
    expect(idsOf(await list({}))).deep.equal(ids(2, 1, 0));
    expect(idsOf(await list({ sort: "recent" }))).deep.equal(ids(2, 1, 0));

    const [first, second] = [await list({ per_page: 2 }), await list({ per_page: 2, page: 2 })];
    expect([first.has_more, second.has_more, second.total]).deep.equal([true, false, 3]);
    expect([...idsOf(first), ...idsOf(second)]).deep.equal(ids(2, 1, 0));
  });

  it("is sorted by viewers, in an order that stands for half a minute", async () => {
    for (const device of ["a", "b"]) {
      await world.api.ok("heartbeat", { body: { stream_id: ids(1)[0], device_id: device } });
    }
    await world.jobs.viewerCounts.tick();
    world.clock.move((45_000 - (world.clock.now() % 30_000)) % 30_000);
    await world.jobs.streamLists.tick();
    world.clock.move(15_000);

    const page = await list({ sort: "viewers" });
    expect(idsOf(page)).deep.equal(ids(1, 2, 0));
    expect(page.items[0]?.realtime_viewer_count).equal(2);
  });

  it("loses nobody to somebody who reads on when a broadcast ends", async () => {
    const first = await list({ per_page: 1 });
    const ended = channels[2];
    if (!ended) throw new Error("there are three");
    await given.hook("publish_done", { key: ended.stream.stream_key });
    // Those who are cut off have a grace to come back.
    world.clock.move(BROADCAST_GRACE_MS + 1_000);
    await eventually(async () => !(await world.api.ok("getStream", { params: ended.at })).is_live, {
      what: "the stream goes offline",
    });

    expect(idsOf(first)).deep.equal(ids(2));
    const passedOver = await list({ per_page: 1 });
    expect(passedOver).include({ total: 3, has_more: true });
    expect(idsOf(passedOver)).deep.equal(ids(1));
    expect(idsOf(await list({ per_page: 1, page: 2 }))).deep.equal(ids(1));
    expect(idsOf(await list({ per_page: 1, page: 3 }))).deep.equal(ids(0));

    world.clock.move(60_000);
    expect(await list({ per_page: 1 })).include({ total: 2 });
    expect(idsOf(await list({}))).deep.equal(ids(1, 0));
  });

  it("is empty behind its end, however far", async () => {
    for (const page of [3, 1_000_001, Number.MAX_SAFE_INTEGER]) {
      expect(await list({ page, per_page: 2 })).deep.equal({
        page,
        per_page: 2,
        total: 2,
        has_more: false,
        before_cursor: null,
        items: [],
      });
    }
  });
});
