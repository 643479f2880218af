import { createHmac } from "node:crypto";
import { expect } from "chai";
import { BROADCAST_GRACE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import { givenBilling } from "../../../support/billing.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("hooks of the media service", () => {
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock, waitsForMedia: true });

  const at = (seconds: number) => new Date(clock.now() + seconds * 1_000).toISOString();

  async function report(type: string, data: object, created_at = at(0), id = newId()): Promise<void> {
    const answer = await givenBilling(world).send(
      { id, type, created_at, data: { ...data } },
      {},
      "mediaHook",
    );
    expect(answer.status, JSON.stringify(answer.body)).equal(200);
  }

  const shown = (channel: Channel) => world.api.ok("getStream", { params: channel.at });

  async function publishing(): Promise<Channel> {
    const channel = await given.channel();
    await given.hook("publish", { key: channel.stream.stream_key });
    return channel;
  }

  it("show a broadcast as live when there is a picture, not before, with the media service's id of it", async () => {
    const channel = await publishing();
    const media_stream_id = newId();

    clock.move(10_000);
    expect((await shown(channel)).is_live).equal(false);
    await report("stream.live", { ...channel.at, media_stream_id });

    clock.move(2_000);
    const stream = await shown(channel);
    expect([stream.is_live, stream.media_stream_id]).deep.equal([true, media_stream_id]);
  });

  it("say since when it is live: by their own time, however late they come, but not before the publisher", async () => {
    const sinceOf = async ({ at: params }: Channel) =>
      String((await world.api.ok("getPlayback", { params })).live_since);
    const before = clock.now();
    const [late, early, ahead] = [await publishing(), await publishing(), await publishing()];
    const published = clock.now();
    clock.move(10_000);
    const seen = at(-4);
    await report("stream.live", late.at, seen);
    await report("stream.live", early.at, new Date(before - 2_000).toISOString());
    const reported = clock.now();
    await report("stream.live", ahead.at, at(3));

    expect(await sinceOf(late)).equal(seen);
    expect(Date.parse(await sinceOf(early))).within(before, published);
    expect(Date.parse(await sinceOf(ahead))).within(reported, clock.now());
    shows("playback.live_since");
  });

  it("report qualities that are made, ready, and not to be had", async () => {
    const channel = await publishing();
    const size = { width: 1280, height: 720, fps: 60, bitrate: 4_500 };
    const qualities = (["ready", "processing", "failed"] as const).map((status, id) => ({
      id,
      label: status,
      ...size,
      is_default: id === 0,
      status,
      path: `${status}/index.m3u8`,
    }));
    await report("stream.qualities", { ...channel.at, qualities });

    const source = await world.api.ok("getPlayback", { params: channel.at });

    expect(source.qualities.map(({ status, is_default }) => [status, is_default])).deep.equal([
      ["ready", true],
      ["processing", false],
      ["failed", false],
    ]);
  });

  it("interrupt it, and continue it, as a publisher that is lost and comes back", async () => {
    const channel = await publishing();
    await report("stream.live", channel.at, at(1));
    await report("stream.idle", channel.at, at(5));
    await report("stream.live", channel.at, at(8));
    const { items } = await channel.owner.api.ok("getStreamHistory", { params: channel.at });
    expect(items.slice(2).map(({ to, detail }) => [to, detail])).deep.equal([
      ["live", null],
      ["live", "interrupted"],
      ["live", null],
    ]);

    await report("stream.idle", channel.at, at(9));
    clock.move(BROADCAST_GRACE_MS);
    await eventually(async () => {
      clock.move(2_000);
      return !(await shown(channel)).is_live;
    });
  });

  it("frees the key with the end of a broadcast without a picture; its publisher begins no other", async () => {
    const channel = await publishing();
    const { stream_key: key } = channel.stream;
    const stored = () => world.core.channels.require(channel.at.stream_id);
    await report("stream.live", channel.at, at(1));
    const { sessionId } = await stored();
    await report("stream.idle", channel.at, at(2));
    clock.move(BROADCAST_GRACE_MS);
    await eventually(async () => !(await stored()).isLive);

    await report("stream.live", channel.at, at(1));
    expect((await stored()).isLive).equal(false);
    expect((await given.hook("update_publish", { key })).status).equal(404);

    expect((await given.hook("publish", { key, clientId: "2" })).status).equal(200);
    await report("stream.live", channel.at, at(2));
    const after = await stored();
    expect(after.isLive).equal(true);
    expect(after.sessionId).not.equal(sessionId);
  });

  it("that are late or repeated leave what is newer", async () => {
    const channel = await publishing();
    const { stream_id } = channel.at;
    const picture = (n: number) => ({ stream_id, thumbnail_url: `https://media.example/${n}.jpg` });
    const qualities = (label: string) => ({
      stream_id,
      qualities: [
        {
          id: 1,
          label,
          width: 1280,
          height: 720,
          fps: 60,
          bitrate: 4_500,
          is_default: true,
          status: "ready",
          path: `${label}/index.m3u8`,
        },
      ],
    });

    await report("stream.thumbnail", picture(2), at(20));
    await report("stream.thumbnail", picture(1), at(10));
    await report("stream.qualities", qualities("720p60"), at(20));
    await report("stream.qualities", qualities("480p30"), at(10));

    clock.move(2_000);
    expect((await shown(channel)).thumbnail_url).equal("https://media.example/2.jpg");
    const source = await world.api.ok("getPlayback", { params: channel.at });
    expect(source.qualities.map(({ label }) => label)).deep.equal(["720p60"]);
    expect(source.qualities[0]?.url).equal(source.manifest_url.replace("index.m3u8", "720p60/index.m3u8"));
  });

  it("never replace the picture that the owner chose", async () => {
    const channel = await publishing();
    const own = "https://cdn.example.com/own.jpg";
    await report("stream.thumbnail", { ...channel.at, thumbnail_url: "https://media.example/1.jpg" });
    await channel.owner.api.ok("updateMyStream", { body: { thumbnail_url: own } });

    await report("stream.thumbnail", { ...channel.at, thumbnail_url: "https://media.example/2.jpg" }, at(60));

    clock.move(2_000);
    expect((await shown(channel)).thumbnail_url).equal(own);
  });

  it("that are late bring no picture back that its owner removed", async () => {
    const channel = await publishing();
    const picture = (n: number) => ({ ...channel.at, thumbnail_url: `https://media.example/${n}.jpg` });
    const ahead = at(20);
    await report("stream.thumbnail", picture(2), ahead);
    await channel.owner.api.ok("updateMyStream", { body: { thumbnail_url: null } });

    await report("stream.thumbnail", picture(1), at(10));
    await report("stream.thumbnail", picture(2), ahead, newId());
    clock.move(2_000);
    expect((await shown(channel)).thumbnail_url).equal(null);

    await report("stream.thumbnail", picture(3), at(90));
    clock.move(2_000);
    expect((await shown(channel)).thumbnail_url).equal("https://media.example/3.jpg");
  });

  it("make one video of a recording, however often it is reported", async () => {
    const channel = await publishing();
    const recording = { ...channel.at, media_recording_id: newId(), duration_seconds: 5_400 };
    for (const id of ["a", "a", "b"])
      await report("recording.ready", recording, at(0), `${id}-${channel.at.stream_id}`);

    const { items } = await world.api.ok("listVideos", { params: { username: channel.owner.username } });

    expect(
      items.map(({ media_recording_id, duration_seconds }) => [media_recording_id, duration_seconds]),
    ).deep.equal([[recording.media_recording_id, 5_400]]);
  });

  it("can't lead a signed address out of the stream's folder", async () => {
    const channel = await publishing();
    const quality = {
      id: 1,
      label: "x",
      width: 1,
      height: 1,
      fps: 1,
      bitrate: 1,
      is_default: true,
      status: "ready",
    };
    for (const path of ["../other/index.m3u8", "/index.m3u8", "a/../../b.m3u8", "index.html"]) {
      const data = { ...channel.at, qualities: [{ ...quality, path }] };
      const hook = { type: "stream.qualities", created_at: at(0), data };
      expect((await givenBilling(world).send(hook, {}, "mediaHook")).code).equal("validation_failed");
    }
  });

  it("are refused unsigned, and by another's signature: they need an HMAC-SHA256 by the secret", async () => {
    const channel = await publishing();
    const [id, timestamp] = [newId(), String(Math.floor(clock.now() / 1_000))];
    const body = JSON.stringify({ id, type: "stream.live", created_at: at(0), data: channel.at });
    const sent = (secret: string | null) => {
      const key = Buffer.from((secret ?? "").replace("whsec_", ""), "base64");
      const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
      const named = {
        "x-system-key": world.systemKeys.media,
        "webhook-id": id,
        "webhook-timestamp": timestamp,
      };
      const signed = secret === null ? {} : { "webhook-signature": `v1,${signature}` };
      return world.api.call("mediaHook", { headers: { ...named, ...signed }, body });
    };
    for (const secret of [null, "whsec_b3RoZXI="])
      expect(await sent(secret)).include({ status: 401, code: "signature_invalid" });
    expect((await sent(world.webhookSecrets.media[0])).status).equal(200);
    shows("auth.hook_signature");
  });
});
