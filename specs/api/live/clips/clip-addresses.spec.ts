import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { movableClock } from "../../../support/clock.ts";
import { edgeOf, signedParts } from "../../../support/edge.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { readyAt, readyData } from "./given-clips.ts";
import { setUpClips } from "./set-up-clips.ts";

const HOUR = 3_600_000;

describe("signed addresses of clips", () => {
  const clock = movableClock();
  const { media, world, given, clips } = setUpClips({ clock, stores: openOwnStores });
  let channel: Channel;
  let viewer: Person;
  beforeEach(async () => {
    channel = await given.liveChannel();
    clock.move(100_000);
    viewer = await given.user();
  });

  const seen = (id: string, { api }: Pick<Person, "api"> = world) =>
    api.ok("getClip", { params: { clip_id: id } });
  const lifeOf = (address = "") => signedParts(address).expiresMs - clock.now();

  it("signs the addresses in every answer that has the clip", async () => {
    const title = "Zugspitze";
    const { id } = await clips.ready(viewer, channel, { title });
    const { username } = channel.owner;

    const answers = [
      await seen(id),
      (await world.api.ok("listClips")).items.find((one) => one.id === id),
      (await world.api.ok("listUserClips", { params: { username } })).items.find((one) => one.id === id),
      (await world.api.ok("search", { query: { q: title, type: "clips" } })).clips[0],
      await viewer.api.ok("updateClip", { params: { clip_id: id }, body: { description: "Top" } }),
      await viewer.api.ok("likeClip", { params: { clip_id: id } }),
    ];

    for (const answer of answers) {
      const { video_url = "", thumbnail_url = "" } = answer ?? {};
      expect(signedParts(video_url)).include({ folder: `${id}_public`, file: "clip.mp4" });
      expect(signedParts(thumbnail_url)).include({ folder: `${id}_public`, file: "pictures/clip.jpg" });
      expect(await edgeOf(world).accepts(video_url)).equal(true);
      expect(await edgeOf(world).accepts(thumbnail_url)).equal(true);
    }
  });

  it("gives a public clip the same addresses for hours, which expire in 6 to 12 hours", async () => {
    const { id } = await clips.ready(viewer, channel);
    const addresses = new Set<string>();

    for (let hour = 0; hour < 12; hour++) {
      const { video_url = "" } = await seen(id);
      addresses.add(video_url);
      expect(lifeOf(video_url)).within(6 * HOUR, 12 * HOUR);
      clock.move(HOUR);
    }

    expect(addresses.size).within(2, 3);
    const [oldest = ""] = addresses;
    expect(await edgeOf(world).accepts(oldest)).equal(false);
  });

  for (const visibility of ["unlisted", "private"] as const) {
    it(`gives a clip that is made ${visibility} other addresses, which last five minutes`, async () => {
      const { id } = await clips.ready(viewer, channel);
      const who = await given.signedInAgain(viewer);
      const before = (await seen(id)).video_url ?? "";

      await who.api.ok("updateClip", { params: { clip_id: id }, body: { visibility } });

      const { video_url = "", thumbnail_url = "" } = await seen(id, who);
      for (const address of [video_url, thumbnail_url]) {
        expect(signedParts(address).folder).equal(`${id}_private`);
        expect(lifeOf(address)).within(290_000, 300_000);
        expect(await edgeOf(world).accepts(address)).equal(true);
      }
      const { signature, folder } = signedParts(before);
      const stretched = video_url.replace(signedParts(video_url).signature, signature);
      expect(await edgeOf(world).accepts(stretched)).equal(false);
      expect(await edgeOf(world).accepts(before.replace(folder, `${id}_private`))).equal(false);
    });
  }

  it("signs for one clip alone, neither for another nor for a stream", async () => {
    const [one, other] = [await clips.ready(viewer, channel), await clips.ready(viewer, channel)];
    const { video_url = "" } = await seen(one.id);

    for (const folder of [`${other.id}_public`, one.id, channel.at.stream_id]) {
      const changed = video_url.replace(`${one.id}_public`, folder);
      expect(await edgeOf(world).accepts(changed), folder).equal(false);
    }
  });

  it("signs for longer than any answer is cached", async () => {
    const answer = await fetch(`${world.baseUrl}/v1/openapi.json`);
    const kept = [...(await answer.text()).matchAll(/"x-cache-seconds":\s*(\d+)/g)].map(([, seconds]) =>
      Number(seconds),
    );
    expect(kept).length.above(0);
    expect(Math.max(...kept)).below(300);
  });

  it("passes on reported addresses unchanged, until the media service reports files", async () => {
    const { id } = await clips.made(viewer, channel);
    await media.isRequested(id);
    const { video_url, thumbnail_url } = readyAt(id);
    await media.report("clip.ready", readyAt(id));
    expect(await seen(id)).include({ video_url, thumbnail_url });

    await media.report("clip.ready", { ...readyAt(id), video_url: "https://media.example/other.mp4" });
    expect(await seen(id)).include({ video_url, thumbnail_url });
    await media.report("clip.ready", readyData(id));

    const now = await seen(id);
    expect(now.status).equal("ready");
    expect(signedParts(now.video_url ?? "")).include({ folder: `${id}_public`, file: "clip.mp4" });
    expect(signedParts(now.thumbnail_url ?? "").file).equal("pictures/clip.jpg");
  });

  it("refuses reported files outside the clip's folder", async () => {
    const clip_id = newId();
    for (const path of [
      "../clip.mp4",
      "/clip.mp4",
      "a/../b.mp4",
      "clip.mp4?x",
      "a//b.mp4",
      "%2e%2e/clip.mp4",
    ]) {
      expect(await media.report("clip.ready", { clip_id, video_path: path }), path).equal(400);
      const both = { ...readyAt(clip_id), video_path: path };
      expect(await media.report("clip.ready", both), path).equal(400);
      const picture = { ...readyData(clip_id), thumbnail_path: path };
      expect(await media.report("clip.ready", picture), path).equal(400);
    }
  });
});
