import { expect } from "chai";
import type { CommandStartedEvent } from "mongodb";
import { newId } from "../../../../base/ids.ts";
import { movableClock } from "../../../support/clock.ts";
import { type Given, givenChannels } from "../../../support/given-channels.ts";
import { openStores } from "../../../support/stores.ts";
import { openWorld, type World } from "../../../support/world.ts";

describe("a channel's followers", () => {
  let world: World;
  let given: Given;
  before(async () => {
    const stores = () => openStores(undefined, { monitorCommands: true });
    world = await openWorld({ clock: movableClock(), stores });
    given = givenChannels(world);
  });
  after(() => world.close());

  const rowsOf = (followingId: string) =>
    world.core.mongo.db.collection("follows").countDocuments({ followingId });

  it("are counted as they follow and unfollow, many at once and the same one twice", async () => {
    const { owner } = await given.channel();
    const { following } = world.core;
    // So many that a busy machine commits all of them before their deadlines.
    const fans = Array.from({ length: 50 }, newId);
    const follow = (fan: string) => following.follow(fan, owner.id);
    const unfollow = (fan: string) => following.unfollow(fan, owner.id);

    await Promise.all(fans.slice(0, 30).map(follow));
    await Promise.all([
      ...fans.slice(0, 20).map(unfollow),
      ...fans.slice(15, 20).map(unfollow),
      ...fans.slice(25).map(follow),
      ...fans.slice(45).map(follow),
      ...fans.slice(10, 15).map(follow),
    ]);
    await Promise.all(fans.slice(0, 5).map(follow));

    // Of those who did both at once either may have been the last.
    const rows = await rowsOf(owner.id);
    expect(rows).within(35, 40);
    const { follower_count } = await owner.api.ok("getPublicProfile", {
      params: { username: owner.username },
    });
    expect(follower_count).equal(rows);
  });

  it("are written while the points of one of them are locked, who is when they are free", async () => {
    const { owner, stream } = await given.channel();
    const { following, points, mongo } = world.core;
    const [locked = "", ...others] = Array.from({ length: 20 }, newId);
    await points.earnPresence({ userId: locked, channelUserId: owner.id, streamId: stream.id, window: 1 });
    const holder = mongo.client.startSession();
    holder.startTransaction();
    const held = { $set: { held: true } };
    await mongo.db.collection("balances").updateOne({ userId: locked }, held, { session: holder });

    let isDone = false;
    const waiting = following.follow(locked, owner.id).finally(() => {
      isDone = true;
    });
    await Promise.all(others.map((fan) => following.follow(fan, owner.id)));
    const wasDone = isDone;
    await holder.abortTransaction();
    await holder.endSession();

    expect(wasDone).equal(false);
    expect((await waiting).follow.followerId).equal(locked);
    expect(await world.core.follows.countFollowers(owner.id)).equal(20);
  });

  it("aren't counted by looking at each when a profile is shown", async () => {
    const { owner } = await given.channel();
    const fans = await Promise.all([1, 2, 3].map(() => given.user()));
    for (const fan of fans) await fan.api.ok("followUser", { params: { user_id: owner.id } });
    const [fan] = fans;
    const commands: unknown[] = [];
    const note = ({ command, commandName }: CommandStartedEvent) => {
      const collection: unknown = command[commandName];
      if (collection === "follows" || collection === "follower_counts") {
        commands.push([commandName, collection, command.filter]);
      }
    };
    world.core.mongo.client.on("commandStarted", note);

    const profile = await fan?.api.ok("getPublicProfile", { params: { username: owner.username } });
    world.core.mongo.client.off("commandStarted", note);

    expect(profile).include({ follower_count: 3, is_following: true });
    expect(commands).deep.members([
      ["find", "follower_counts", { followingId: owner.id }],
      ["find", "follows", { _id: `${fan?.id}:${owner.id}` }],
    ]);
  });
});
