import { expect } from "chai";
import { OPERATOR } from "../../../base/audit.ts";
import { RAID_COUNTDOWN_MS } from "../../../store/mongo/raids/raids.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { type RoomViewer, viewRoom } from "../../support/room-viewer.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("the departure of a raid", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const viewers: RoomViewer[] = [];
  let source: Channel;
  let target: Channel;
  beforeEach(async () => {
    [source, target] = await Promise.all([given.liveChannel(), given.liveChannel()]);
  });
  afterEach(() => {
    for (const { client } of viewers.splice(0)) client.close();
  });

  const begin = async (by = source.owner) => {
    const ids = { source_user_id: source.owner.id, target_user_id: target.owner.id };
    return by.api.ok("createRaid", { body: { ...ids, message: "to the casino" } });
  };
  const block = (action: "block" | "hold") =>
    target.owner.api.ok("addBlockedTerm", { params: target.at, body: { term: "casino", action } });
  const raidOf = async (id: string) =>
    (await target.owner.api.ok("listMyRaids")).items.find((raid) => raid.id === id);

  /** What the target's room gets once the raid has departed. */
  async function arrival(depart: () => unknown): Promise<unknown> {
    const arrived: unknown[] = [];
    let isSubscribed = false;
    const onMessage = ({ type, data }: { type: string; data?: unknown }) => {
      if (type === "subscribed") isSubscribed = true;
      if (type === "raid.incoming") arrived.push(data);
    };
    viewers.push(viewRoom({ http: world.baseUrl, streamId: target.stream.id, onMessage }));
    await eventually(() => isSubscribed, { what: "the room is subscribed to" });
    await depart();
    await eventually(() => arrived.length === 1, { what: "the raid arrives" });
    return arrived[0];
  }

  for (const action of ["block", "hold"] as const) {
    it(`drops a message that a term added after the creation would ${action}`, async () => {
      const { id } = await begin();
      await block(action);

      const incoming = await arrival(() => world.clock.move(RAID_COUNTDOWN_MS));

      expect(Object(incoming).raid).include({ id, status: "active" }).and.not.have.property("message");
      expect(await raidOf(id)).not.have.property("message");
    });
  }

  it("drops the message when the target has switched its chat off", async () => {
    await begin();
    await target.owner.api.ok("updateChatSettings", { params: target.at, body: { chat_enabled: false } });

    const incoming = await arrival(() => world.clock.move(RAID_COUNTDOWN_MS));

    expect(Object(incoming).raid).include({ status: "active" }).and.not.have.property("message");
  });

  it("drops a refused message when the raid is started by hand", async () => {
    const { id } = await begin();
    await block("block");
    world.clock.move(10_000);

    const incoming = await arrival(async () => {
      const started = await source.owner.api.ok("startRaid", { params: { raid_id: id } });
      expect(started).include({ status: "active" }).and.not.have.property("message");
    });

    expect(Object(incoming).raid).not.have.property("message");
  });

  it("shows the message if the target's room still accepts it", async () => {
    await begin();
    const incoming = await arrival(() => world.clock.move(RAID_COUNTDOWN_MS));
    expect(Object(incoming).raid).include({ message: "to the casino" });
  });

  it("drops the message while Redis is unavailable", async () => {
    const { id } = await begin();
    world.core.redis.disconnect();
    world.clock.move(RAID_COUNTDOWN_MS);
    const status = async () => (await world.core.raids.require(id)).status;
    await eventually(async () => expect(await status()).equal("active"), { what: "the raid departs" });
    await world.core.redis.connect();

    expect(await raidOf(id)).not.have.property("message");
  });

  for (const [whose, raider] of [
    ["source's owner", () => source.owner],
    ["moderator who began it", () => given.moderatorOf(source)],
  ] as const) {
    it(`cancels the raid once the account of the ${whose} was banned`, async () => {
      const by = await raider();
      const { id } = await begin(by);
      await world.core.accountBans.ban(by.id, OPERATOR);

      world.clock.move(RAID_COUNTDOWN_MS);

      await eventually(async () => expect(await raidOf(id)).include({ status: "cancelled" }), {
        what: "the raid is cancelled",
      });
    });
  }
});
