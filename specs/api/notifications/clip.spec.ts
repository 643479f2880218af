import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { openWorld, type World } from "../../support/world.ts";
import { givenClips, readyData } from "../clips/given-clips.ts";
import { type SpecMediaService, startMediaService } from "../clips/media-service.ts";

describe("notifications of clips", () => {
  let media: SpecMediaService;
  let world: World;
  let given: Given;
  let clips: ReturnType<typeof givenClips>;
  const clock = movableClock();
  before(async () => {
    media = await startMediaService();
    world = await openWorld({ clock, mediaUrl: media.url });
    media.serves(world);
    given = givenChannels(world);
    clips = givenClips(media);
  });
  after(async () => {
    await world.close();
    await media.close();
  });

  const listOf = async ({ api }: Person) => (await api.ok("listNotifications")).items;

  it("notify a channel's owner that somebody else made one, once it is ready", async () => {
    const channel = await given.liveChannel();
    clock.move(100_000);
    const [viewer, fan] = [await given.user(), await given.user()];
    const { id } = await clips.ready(viewer, channel);
    await media.report("clip.ready", readyData(id));
    await clips.ready(channel.owner, channel);
    const failing = await clips.made(viewer, channel);
    await media.report("clip.failed", { clip_id: failing.id });
    clock.move(1_000);
    // After all of those.
    await fan.api.ok("followUser", { params: { user_id: channel.owner.id } });

    await eventually(async () =>
      expect((await listOf(channel.owner)).map(({ type }) => type)).deep.equal(["follower", "clip"]),
    );
    const { username } = channel.owner;
    expect((await listOf(channel.owner))[1]).include({
      type: "clip",
      title: "New clip",
      message: `${viewer.username} made a clip of your broadcast.`,
      link: `https://livecore.example/${username}`,
      is_read: false,
    });
    expect(await listOf(viewer)).deep.equal([]);
  });
});
