import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { rankedByViewers } from "./ranked.ts";

describe("streams of followed channels", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  let viewer: Person;
  /** In the order in which they are followed. */
  let quiet: Channel;
  let busy: Channel;
  let offline: Channel[];
  before(async () => {
    viewer = await given.user();
    offline = [await given.channel(), await given.channel()];
    busy = await given.liveChannel();
    quiet = await given.liveChannel();
    await given.liveChannel();
    for (const { owner } of [offline[0], busy, quiet, offline[1]].flatMap((one) => one ?? [])) {
      world.clock.move(10);
      await viewer.api.ok("followUser", { params: { user_id: owner.id } });
    }
    await rankedByViewers(world, [busy]);
  });

  const idsOf = (channels: (Channel | undefined)[]) => channels.map((channel) => channel?.stream.id);

  it("come live ones first, by viewers, then the newest follow; offline ones too", async () => {
    const { items, total } = await viewer.api.ok("listFollowedStreams");

    expect(items.map(({ id }) => id)).deep.equal(idsOf([busy, quiet, offline[1], offline[0]]));
    expect(items.map(({ is_live }) => is_live)).deep.equal([true, true, false, false]);
    expect(items[0]?.user).include({ id: busy.owner.id, username: busy.owner.username });
    expect(items[0]?.tags).deep.equal([]);
    expect(total).equal(4);
  });

  it("come page by page, each once", async () => {
    const pages = await Promise.all(
      [1, 2, 3].map((page) => viewer.api.ok("listFollowedStreams", { query: { per_page: 3, page } })),
    );

    expect(pages.map(({ items }) => items.length)).deep.equal([3, 1, 0]);
    expect(pages.map(({ has_more }) => has_more)).deep.equal([true, false, false]);
    const ids = pages.flatMap(({ items }) => items.map(({ id }) => id));
    expect(ids).deep.equal(idsOf([busy, quiet, offline[1], offline[0]]));
  });

  it("are in the list of follows by the newest of them, live ones first", async () => {
    const { items } = await viewer.api.ok("listMyFollowing");

    expect(items.map(({ following }) => following.stream.id)).deep.equal(
      idsOf([quiet, busy, offline[1], offline[0]]),
    );
  });
});
