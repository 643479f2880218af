import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { movableClock } from "../../../support/clock.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("blocks", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  async function pair() {
    const [one, other] = [await given.user(), await given.user()];
    return { one, other, atOne: { params: { user_id: one.id } }, atOther: { params: { user_id: other.id } } };
  }
  const followersOf = async (username: string) =>
    (await world.api.ok("getPublicProfile", { params: { username } })).follower_count;

  it("end the follows of the two, both ways, with their counts", async () => {
    const { one, other, atOne, atOther } = await pair();
    await one.api.ok("followUser", atOther);
    await other.api.ok("followUser", atOne);

    await one.api.ok("blockUser", atOther);

    for (const { api, username } of [one, other]) {
      expect((await api.ok("listMyFollowing")).total).equal(0);
      expect(await followersOf(username)).equal(0);
    }
  });

  it("refuse to either of the two to follow the other, until they are lifted", async () => {
    const { one, other, atOne, atOther } = await pair();
    await one.api.ok("blockUser", atOther);

    expect(await one.api.call("followUser", atOther)).include({ status: 403, code: "blocked" });
    expect(await other.api.call("followUser", atOne)).include({ status: 403, code: "blocked" });
    await other.api.ok("unblockUser", atOne);
    expect(await other.api.call("followUser", atOne)).include({ code: "blocked" });

    await one.api.ok("unblockUser", atOther);
    await one.api.ok("unblockUser", atOther);
    expect((await other.api.ok("followUser", atOne)).following_id).equal(one.id);
  });

  it("are their owner's list, the newest first and each once", async () => {
    const { one, other, atOther } = await pair();
    const third = await given.user();
    await one.api.ok("blockUser", atOther);
    world.clock.move(1_000);
    await one.api.ok("blockUser", { params: { user_id: third.id } });
    await one.api.ok("blockUser", atOther);

    const { items, total } = await one.api.ok("listMyBlocks");

    expect(items.map(({ username }) => username)).deep.equal([third.username, other.username]);
    expect(total).equal(2);
    expect(items[0]).not.have.property("email");
    expect((await one.api.ok("listMyBlocks", { query: { page: 2, per_page: 1 } })).items).lengthOf(1);
    expect((await other.api.ok("listMyBlocks")).items).deep.equal([]);
  });

  it("can't be of oneself, nor of somebody that there isn't", async () => {
    const { one, atOne } = await pair();
    const nobody = { params: { user_id: newId() } };

    expect(await one.api.call("blockUser", atOne)).include({ status: 400, code: "self_target" });
    expect(await one.api.call("blockUser", nobody)).include({ status: 404, code: "not_found" });
    expect(await one.api.call("unblockUser", nobody)).include({ status: 404, code: "not_found" });
    expect((await one.api.ok("listMyBlocks")).total).equal(0);
  });

  it("leave no follow that began in the same moment", async () => {
    const { one, other, atOne, atOther } = await pair();
    for (let round = 0; round < 20; round++) {
      await Promise.all([
        other.api.call("followUser", atOne),
        one.api.ok("blockUser", atOther),
        one.api.call("followUser", atOther),
      ]);

      expect(await world.core.follows.find(other.id, one.id), `round ${round}`).equal(null);
      expect(await world.core.follows.find(one.id, other.id), `round ${round}`).equal(null);
      expect([await followersOf(one.username), await followersOf(other.username)]).deep.equal([0, 0]);
      await one.api.ok("unblockUser", atOther);
    }
  });
});
