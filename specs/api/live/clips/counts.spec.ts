import { expect } from "chai";
import { createClipLikes } from "../../../../actors/live/clips/likes.ts";
import { createViewCounts } from "../../../../actors/live/clips/view-counts.ts";
import { movableClock } from "../../../support/clock.ts";
import { MASTER_KEY } from "../../../support/core.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpClips } from "./set-up-clips.ts";

describe("views and likes of clips", () => {
  const clock = movableClock();
  const { world, given, clips } = setUpClips({ clock, trustedProxies: ["127.0.0.1"] });
  let channel: Channel;
  let viewer: Person;
  let clip_id: string;
  beforeEach(async () => {
    channel = await given.liveChannel();
    clock.move(100_000);
    viewer = await given.user();
    clip_id = (await clips.ready(viewer, channel)).id;
  });

  const counts = async () => {
    const { views_count, likes_count } = await world.api.ok("getClip", { params: { clip_id } });
    return [views_count, likes_count];
  };
  const view = (api = world.api) => api.ok("viewClip", { params: { clip_id } });
  const from = (ip: string) => world.api.with({ "x-forwarded-for": ip });

  it("count once an hour for a user, and for an address of those who aren't signed in", async () => {
    for (const api of [viewer.api, viewer.api, channel.owner.api]) await view(api);
    for (const ip of ["198.51.100.1", "198.51.100.1", "198.51.100.2"]) await view(from(ip));
    expect(await counts()).deep.equal([4, 0]);

    clock.move(3_599_000);
    await view(from("198.51.100.1"));
    expect(await counts()).deep.equal([4, 0]);
    clock.move(2_000);
    await view(from("198.51.100.1"));
    await view((await given.signedInAgain(viewer)).api);
    expect(await counts()).deep.equal([6, 0]);
  });

  it("keep no address", async () => {
    await view(from("198.51.100.77"));

    const rows = await world.core.mongo.db.collection("counted_views").find().toArray();
    expect(rows).not.deep.equal([]);
    expect(JSON.stringify(rows)).not.include("198.51.100");
  });

  it("are exact when many come at once, to several processes", async () => {
    const { mongo } = world.core;
    const workers = [1, 2, 3].map(() => createViewCounts({ mongo, clock, masterKey: MASTER_KEY }));
    const likers = [1, 2, 3].map(() => createClipLikes({ mongo, clock }));
    const clip = await world.core.clips.require(clip_id);
    const people = [...Array(20).keys()].map((n) => `user-${n}`);

    await Promise.all(
      workers.flatMap((worker) =>
        people.map((userId) => worker.count({ kind: "clip", id: clip_id }, { userId, ip: "" })),
      ),
    );
    await Promise.all(likers.flatMap((likes) => people.map((userId) => likes.like(clip, userId))));
    expect(await counts()).deep.equal([20, 20]);

    await Promise.all(
      likers.flatMap((likes) => people.slice(5).map((userId) => likes.unlike(clip_id, userId))),
    );
    expect(await counts()).deep.equal([20, 5]);
  });

  it("go with their account when it is erased, the number of likes with them", async () => {
    const fan = await given.user();
    await fan.api.ok("likeClip", { params: { clip_id } });
    const own = (await clips.ready(fan, channel)).id;
    expect(await counts()).deep.equal([0, 1]);

    await world.core.clipLikes.forgetAll(fan.id);
    await world.core.clips.forgetAll(fan.id);

    expect(await counts()).deep.equal([0, 0]);
    expect((await world.api.call("getClip", { params: { clip_id: own } })).code).equal("not_found");
  });
});
