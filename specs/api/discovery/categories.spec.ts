import { expect } from "chai";
import { BROADCAST_GRACE_MS } from "../../../actors/live/live-stream/machine.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import type { Success } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

type Category = Success<"getCategory">;

describe("categories", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock(), stores: openOwnStores });
  let reader: Person;
  before(async () => {
    reader = await given.user();
  });

  const category = (category_id: string): Promise<Category> =>
    reader.api.ok("getCategory", { params: { category_id } });

  async function all(): Promise<Category[]> {
    return (await reader.api.ok("listCategories", { query: { per_page: 100 } })).items;
  }

  async function liveIn(slug: string, viewers: number): Promise<Channel> {
    const channel = await given.liveChannel();
    await channel.owner.api.ok("updateMyStream", { body: { category_id: (await category(slug)).id } });
    for (let n = 0; n < viewers; n++)
      await world.api.ok("heartbeat", { body: { ...channel.at, device_id: `device-${n}` } });
    return channel;
  }

  async function counted(): Promise<void> {
    await world.jobs.viewerCounts.tick();
    await world.core.catalogue.countViewers();
  }

  const streamsIn = async (category_id: string, sort = "recent") =>
    (await reader.api.ok("listCategoryStreams", { params: { category_id }, query: { sort } })).items.map(
      ({ id }) => id,
    );

  it("begin as a tree of two levels, by name while nobody watches", async () => {
    const found = await all();

    const top = found.filter(({ parent_id }) => parent_id === undefined);
    expect(top.map(({ slug }) => slug)).deep.equal(["cameras", "creative", "games", "irl", "music"]);
    const tops = new Set<string | undefined>(top.map(({ id }) => id));
    for (const { parent_id } of found) if (parent_id !== undefined) expect(tops.has(parent_id)).equal(true);
    const names = found.map(({ name }) => name);
    expect(names).deep.equal(names.toSorted());
    const first = await reader.api.ok("listCategories", { query: { per_page: 10 } });
    const second = await reader.api.ok("listCategories", { query: { per_page: 10, page: 2 } });
    expect([...first.items, ...second.items]).deep.equal(found.slice(0, 20));
    expect(second).include({ total: found.length, has_more: true });
  });

  it("are found by id and by slug", async () => {
    const puzzle = await category("puzzle");

    expect(puzzle).deep.equal({
      id: puzzle.id,
      slug: "puzzle",
      name: "Puzzle",
      cover_image: null,
      parent_id: (await category("games")).id,
      tags: [],
      live_viewer_count: 0,
    });
    expect(puzzle.id).match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await category(puzzle.id)).deep.equal(puzzle);
    expect(await category("PUZZLE")).deep.equal(puzzle);
    for (const category_id of ["no-such-thing", "01890000-0000-7000-8000-00000000ffff"]) {
      expect((await reader.api.call("getCategory", { params: { category_id } })).code).equal("not_found");
      const streams = await reader.api.call("listCategoryStreams", { params: { category_id } });
      expect(streams.code).equal("not_found");
    }
    const odd = await reader.api.call("getCategory", { params: { category_id: "-no-" } });
    expect(odd.code).equal("validation_failed");
  });

  it("count the viewers of their streams and of those below, and come in that order", async () => {
    const racing = await liveIn("racing", 2);
    await liveIn("fighting", 3);
    await liveIn("games", 1);
    await liveIn("food-and-drink", 4);
    await counted();

    expect(await category("racing")).include({ live_viewer_count: 2 });
    expect(await category("games")).include({ live_viewer_count: 6 });
    const order = (await all()).slice(0, 5).map(({ slug, live_viewer_count: n }) => `${slug} ${n}`);
    expect(order).deep.equal(["games 6", "food-and-drink 4", "irl 4", "fighting 3", "racing 2"]);

    await given.hook("publish_done", { key: racing.stream.stream_key });
    world.clock.move(BROADCAST_GRACE_MS);
    await eventually(async () => !(await world.api.ok("getStream", { params: racing.at })).is_live, {
      what: "its broadcast is over",
    });
    await counted();
    expect(await category("racing")).include({ live_viewer_count: 0 });
    shows("categories.live_viewers");
  });

  it("list live streams that are in them or below, and so does the list of all streams", async () => {
    const above = await liveIn("music", 0);
    const below = await liveIn("djs", 0);
    const [music, djs] = [await category("music"), await category("djs")];
    const [inMusic, inDjs] = [[below.stream.id, above.stream.id], [below.stream.id]];

    expect(await streamsIn("music")).deep.equal(inMusic);
    expect(await streamsIn(music.id)).deep.equal(inMusic);
    expect(await streamsIn(djs.id)).deep.equal(inDjs);
    expect(await streamsIn("music", "viewers")).members(inMusic);
    for (const [id, streams] of [
      [music.id, inMusic],
      [djs.id, inDjs],
    ] as const) {
      const { items, total } = await reader.api.ok("listStreams", { query: { category_id: id } });
      expect(items.map((card) => card.id)).deep.equal(streams);
      expect(total).equal(streams.length);
    }
  });
});
