import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { readyData } from "../live/clips/given-clips.ts";
import { setUpClips } from "../live/clips/set-up-clips.ts";

describe("notifications of clips", () => {
  const clock = movableClock();
  const { media, given, clips } = setUpClips({ clock });

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
      message: `${viewer.username} created a clip of your stream.`,
      link: `https://livecore.example/${username}`,
      is_read: false,
    });
    expect(await listOf(viewer)).deep.equal([]);
  });
});
