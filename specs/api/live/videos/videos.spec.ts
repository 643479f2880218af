import { expect } from "chai";
import { HOUR_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import { givenBilling } from "../../../support/billing.ts";
import { edgeOf, signedParts } from "../../../support/edge.ts";
import type { Channel } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("videos of past broadcasts", () => {
  const { world, given } = setUpWorld();
  let channel: Channel;
  beforeEach(async () => {
    channel = await given.channel();
  });

  const created_at = () => new Date(world.clock.now()).toISOString();
  async function recorded(media_recording_id = newId(), more: object = {}) {
    const data = { ...channel.at, media_recording_id, duration_seconds: 60, ...more };
    const hook = { type: "recording.ready", created_at: created_at(), data };
    expect((await givenBilling(world).send(hook, {}, "mediaHook")).status).equal(200);
    const { items } = await channel.owner.api.ok("listVideos", {
      params: { username: channel.owner.username },
    });
    const [video] = items.filter((one) => one.media_recording_id === media_recording_id);
    return video;
  }
  async function video() {
    const made = await recorded();
    if (!made) throw new Error("a recording makes a video");
    return { made, params: { video_id: made.id } };
  }

  it("are there as their visibility says", async () => {
    const staff = await givenStaff(world, given).staff();
    const stranger = await given.user();
    const { made, params } = await video();
    const statuses = (operation: "getVideo" | "getVideoPlayback") =>
      Promise.all(
        [channel.owner.api, staff.api, stranger.api, world.api].map(
          async (api) => (await api.call(operation, { params })).status,
        ),
      );
    const listed = async (api = world.api) =>
      (await api.ok("listVideos", { params: { username: channel.owner.username } })).total;

    expect([await statuses("getVideo"), await listed(stranger.api)]).deep.equal([[200, 200, 200, 200], 1]);
    expect(made).include({ visibility: "public", is_mature: false });
    shows("default Video.is_mature");
    for (const [visibility, others] of [
      ["unlisted", 200],
      ["private", 404],
    ] as const) {
      await channel.owner.api.ok("updateVideo", { params, body: { visibility } });
      expect(await statuses("getVideo")).deep.equal([200, 200, others, others]);
      expect(await statuses("getVideoPlayback")).deep.equal([200, 200, others, others]);
      expect([await listed(stranger.api), await listed(channel.owner.api)]).deep.equal([0, 1]);
    }
    expect((await stranger.api.call("viewVideo", { params })).code).equal("not_found");
  });

  it("of an account that was banned are there for staff alone", async () => {
    const staff = await givenStaff(world, given).staff();
    const { params } = await video();
    await staff.api.ok("banAccount", { params: { account_id: channel.owner.id }, body: { reason: "So" } });

    for (const operation of ["getVideo", "getVideoPlayback", "viewVideo"] as const) {
      expect((await world.api.call(operation, { params })).code, operation).equal("not_found");
    }
    const ofBanned = { params: { username: channel.owner.username } };
    expect((await world.api.call("listVideos", ofBanned)).code).equal("not_found");
    await staff.api.ok("getVideoPlayback", { params });
    await staff.api.ok("deleteVideo", { params });
  });

  it("are changed by their owner alone, and deleted by staff too, for good", async () => {
    const staff = await givenStaff(world, given).staff();
    const moderator = await given.moderatorOf(channel);
    const { made, params } = await video();
    const body = { title: "The evening", is_mature: true };
    for (const { api } of [moderator, await given.user(), staff]) {
      expect((await api.call("updateVideo", { params, body })).code).equal("forbidden");
    }
    expect((await moderator.api.call("deleteVideo", { params })).code).equal("forbidden");
    const changed = await channel.owner.api.ok("updateVideo", { params, body });
    expect(changed).deep.equal({ ...made, ...body });

    await staff.api.ok("deleteVideo", { params });

    expect((await channel.owner.api.call("getVideo", { params })).code).equal("not_found");
    expect(await recorded(made.media_recording_id ?? "")).equal(undefined);
    await channel.owner.api.ok("deleteVideo", { params: (await video()).params });
  });

  it("are played by an address that is signed for their recording alone", async () => {
    const { made, params } = await video();

    const source = await world.api.ok("getVideoPlayback", { params });
    const live = await world.api.ok("getPlayback", { params: channel.at });

    expect(source).include({ ...channel.at, protocol: "hls", live_since: null });
    expect(source.manifest_url).match(/^https:\/\/edge\.example\/hls\/.*\/index\.m3u8$/);
    expect(source.manifest_url).include(`/${made.media_recording_id}/`);
    const signatureIn = (address: string) => address.split("/").at(-4);
    expect(signatureIn(source.manifest_url)).not.equal(signatureIn(live.manifest_url));
    shows("media.proxied");
  });

  it("gives the picture a signed address, which doesn't play the recording", async () => {
    const id = newId();
    const thumbnail_url = "https://media.example/older.jpg";
    const older = await recorded(id, { thumbnail_url });
    expect(older?.thumbnail_url).equal(thumbnail_url);
    const made = await recorded(id, { thumbnail_path: "thumbnail.jpg" });
    const params = { video_id: made?.id ?? "" };
    const address = made?.thumbnail_url ?? "";
    const listed = await world.api.ok("listVideos", { params: { username: channel.owner.username } });

    expect(signedParts(address)).include({ folder: `${id}_public`, file: "thumbnail.jpg" });
    expect(signedParts(address).expiresMs - world.clock.now()).within(6 * HOUR_MS, 12 * HOUR_MS);
    expect(await edgeOf(world).accepts(address)).equal(true);
    expect(await edgeOf(world).accepts(address.replace(`${id}_public`, id))).equal(false);
    expect(listed.items.map((one) => one.thumbnail_url)).deep.equal([address]);

    const hidden = await channel.owner.api.ok("updateVideo", { params, body: { visibility: "private" } });
    const parts = signedParts(hidden.thumbnail_url ?? "");
    expect(parts).include({ folder: `${id}_private`, file: "thumbnail.jpg" });
    expect(parts.expiresMs - world.clock.now()).within(290_000, 300_000);
    expect(await recorded(id, { thumbnail_path: "other.jpg" })).include({ visibility: "private" });
    const { thumbnail_url: kept } = await channel.owner.api.ok("getVideo", { params });
    expect(signedParts(kept ?? "").file).equal("thumbnail.jpg");
  });

  it("count a viewer once an hour", async () => {
    const { params } = await video();
    const viewer = await given.user();
    for (const api of [viewer.api, viewer.api, world.api, world.api]) await api.ok("viewVideo", { params });

    expect((await world.api.ok("getVideo", { params })).view_count).equal(2);
  });
});
