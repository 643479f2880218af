// @waits: for the pieces of a broadcast.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { UPDATE_INTERVAL_MS } from "../../actors/live/live-stream/publisher-lease.ts";
import type { LivecoreClient } from "../../clients/typescript/src/index.ts";
import { durationOf } from "../../deploy/development/media/ffmpeg.ts";
import type { MediaPrograms } from "../../deploy/development/media/programs.ts";
import { publishTestPicture } from "../../deploy/development/media/test-picture.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, serviceHarness } from "../support/service.ts";
import { statusAtHost } from "../support/status-at-host.ts";
import { closeStudio, mediaPrograms, openStudio, SMALL_PICTURE } from "../support/studio.ts";

/** Seldom enough for the limit of requests. */
const PATIENT = { withinMs: 60_000, everyMs: 250 };

/** What nginx-rtmp waits for an answer is 10 s; the proxy in front answers after 4 s. */
const NO_ANSWER_MS = 6_000;

describe("a real broadcast", function () {
  this.timeout(240_000);
  const { start, end } = serviceHarness("deploy/development/media/main.ts");
  let programs: MediaPrograms;
  let service: Service;
  let client: LivecoreClient;
  let username: string;
  let streamId: string;
  let rtmpUrl: string;
  const publishers: { stop(): Promise<void> }[] = [];

  before(async function () {
    const found = await mediaPrograms();
    if (!found) this.skip();
    programs = found;
    service = await start({ API_WORKERS: "1" });
    ({ client, username, streamId, rtmpUrl } = await openStudio(service));
  });
  afterEach(async () => {
    for (const publisher of publishers.splice(0)) await publisher.stop();
  });
  after(async () => {
    if (service) await closeStudio(service);
    await end();
  });

  const keyOf = async () => String((await client.call("getMyStream")).stream_key);
  const playback = () => client.call("getPlayback", { path: { stream_id: streamId } });
  const statusOf = async (url: string) => (await fetch(url)).status;
  const statusesOf = (urls: string[]) => Promise.all(urls.map(statusOf));
  const isLive = async () => (await client.call("getStream", { path: { stream_id: streamId } })).is_live;
  const ended = (line: string[]) => (message: string) => void line.push(message);

  async function publish(messages: string[] = []): Promise<void> {
    const to = { rtmpUrl, streamKey: await keyOf(), ...SMALL_PICTURE };
    publishers.push(publishTestPicture(programs.ffmpeg, to, ended(messages)));
    await eventually(isLive, { ...PATIENT, what: "it is live" });
  }

  const endBroadcast = () => client.call("endBroadcast", { path: { stream_id: streamId } });

  it("is refused with a wrong key", async () => {
    const input = ["-re", "-f", "lavfi", "-i", "testsrc=size=64x64:rate=5", "-t", "20", "-f", "flv"];
    const child: ChildProcess = spawn(programs.ffmpeg, ["-nostdin", ...input, `${rtmpUrl}/live_wrong`], {
      stdio: "ignore",
    });
    const [code] = await once(child, "exit");
    expect(code).not.equal(0);
    expect(await isLive()).equal(false);
  });

  it("is seen at a signed address, in two qualities, with a thumbnail, until its key is another one", async () => {
    const messages: string[] = [];
    await publish(messages);
    await eventually(async () => (await playback()).qualities.length === 2, {
      ...PATIENT,
      what: "both qualities",
    });

    const { manifest_url, live_since, qualities } = await playback();
    expect(live_since).not.equal(null);
    expect(qualities.map(({ label, width, height }) => `${label} ${width}x${height}`)).deep.equal([
      "Source 512x384",
      "360p 480x360",
    ]);
    const manifest = await (await fetch(manifest_url)).text();
    expect(manifest).include("#EXT-X-STREAM-INF");
    for (const { url } of qualities) {
      const segments = (await (await fetch(url)).text()).split("\n").filter((line) => line.endsWith(".ts"));
      expect(await statusOf(new URL(segments.at(-1) ?? "", url).href)).equal(200);
    }
    const [, , key = "", signature = ""] = new URL(manifest_url).pathname.split("/");
    expect(await statusOf(manifest_url.replace(signature, signature.split("").reverse().join("")))).equal(
      403,
    );
    expect(await statusOf(manifest_url.replace(key, "00000000"))).equal(403);
    expect(await statusOf(manifest_url.replace(/\/\d{10}\//, "/1000000000/"))).oneOf([403, 410]);
    expect(await statusOf(manifest_url.replaceAll(streamId, "00000000-0000-7000-8000-000000000000"))).equal(
      403,
    );
    const control = new URL("/control/drop/publisher?app=ingest&name=nobody", manifest_url);
    expect((await fetch(control, { headers: { "sec-fetch-site": "cross-site" } })).status).equal(403);
    const { port, pathname } = control;
    const path = `${pathname}?app=ingest&name=nobody`;
    // A page that reaches this machine by a name of its own sends no such header over plain http.
    for (const [host, status] of [
      ["evil.example", 421],
      [`127.0.0.1.evil.example:${port}`, 421],
      [`127.0.0.1:${port}`, 200],
    ] as const)
      expect(await statusAtHost({ port: Number(port), path, host }), host).equal(status);
    const stream = await eventually(async () => {
      const seen = await client.call("getStream", { path: { stream_id: streamId } });
      return seen.thumbnail_url ? seen : false;
    }, PATIENT);
    expect(await statusOf(String(Object(stream).thumbnail_url))).equal(200);

    await client.call("rotateStreamKey");

    await eventually(() => messages.length === 1, { withinMs: 20_000, what: "the publisher was dropped" });
    expect(await isLive()).equal(false);
  });

  it("gives a clip while it goes on, and a video once it is over", async () => {
    const begun = Date.now();
    await publish();
    await eventually(async () => Date.now() - Date.parse(String((await playback()).live_since)) > 8_000, {
      ...PATIENT,
      what: "enough was sent",
    });

    const body = { stream_id: streamId, title: "the first seconds", start_time: 1, end_time: 7 };
    const { id } = await client.call("createClip", { body });
    const clip = await eventually(
      async () => {
        const seen = await client.call("getClip", { path: { clip_id: id } });
        return seen.status === "processing" ? false : seen;
      },
      { ...PATIENT, what: "the clip is made" },
    );
    const { status, video_url, thumbnail_url } = Object(clip);
    expect(status).equal("ready");
    expect(await durationOf(programs.ffprobe, String(video_url))).within(5.5, 6.5);
    await followsItsClip(id, [String(video_url), String(thumbnail_url)]);

    for (const publisher of publishers.splice(0)) await publisher.stop();
    const path = { username };
    const videos = async () => (await client.call("listVideos", { path })).items;
    // The one whose key was rotated is one too.
    await eventually(async () => (await videos()).length >= 2, { ...PATIENT, what: "a video" });
    const [video] = await videos();
    if (!video) throw new Error("there is one");
    expect(Date.parse(String(video.started_at)) - begun).within(-2_000, 20_000);
    const source = await client.call("getVideoPlayback", { path: { video_id: video.id } });
    expect(source.manifest_url).include(video.media_recording_id);
    expect(await durationOf(programs.ffprobe, source.manifest_url)).above(8);
    const shown = [source.manifest_url, String(video.thumbnail_url)];
    expect(await statusesOf(shown)).deep.equal([200, 200]);
    await client.call("deleteVideo", { path: { video_id: video.id } });
    await eventually(async () => expect(await statusesOf(shown)).deep.equal([404, 404]), PATIENT);
  });

  it("drops the publisher of a broadcast that its owner ends", async () => {
    const messages: string[] = [];
    // The one of the publisher before waits for another.
    await endBroadcast();
    await publish(messages);

    await endBroadcast();

    await eventually(() => messages.length === 1, { withinMs: 20_000, what: "the publisher was dropped" });
    expect(await isLive()).equal(false);
  });

  it("keeps its publisher while the service answers no update, and goes on with it", async () => {
    const messages: string[] = [];
    await endBroadcast();
    await publish(messages);
    const worker = service.workers().find(({ kind }) => kind === "api");
    if (!worker) throw new Error("there is an api worker");
    const suspendedAt = performance.now();

    // Less than the 20 s after which the primary replaces it.
    process.kill(worker.pid, "SIGSTOP");
    await eventually(() => performance.now() - suspendedAt > UPDATE_INTERVAL_MS + NO_ANSWER_MS, PATIENT);
    process.kill(worker.pid, "SIGCONT");

    expect(await isLive()).equal(true);
    expect(messages).deep.equal([]);
  });

  it("loses the publisher when nginx dies after an update", async () => {
    const path = { stream_id: streamId };
    // The one of the publisher before waits for another.
    await endBroadcast();
    await publish();
    const publishedFor = async () => Date.now() - Date.parse(String((await playback()).live_since));
    await eventually(async () => (await publishedFor()) > UPDATE_INTERVAL_MS, {
      ...PATIENT,
      what: "an update was sent",
    });

    const { pid } = JSON.parse(
      readFileSync(join(service.env.LIVECORE_HOME ?? "", "media", "nginx", "process.json"), "utf8"),
    );
    // With its workers, which survive their master.
    process.kill(-Number(pid), "SIGKILL");

    const lastEvent = async () => {
      const query = { per_page: 100 };
      return (await client.call("getStreamHistory", { path, query })).items.at(-1)?.event;
    };
    await eventually(async () => (await lastEvent()) === "publisherLost", {
      ...PATIENT,
      what: "the publisher is lost",
    });
  });

  /** The addresses of a public clip's files. */
  async function followsItsClip(clip_id: string, shown: string[]): Promise<void> {
    const path = { clip_id };
    expect(await statusesOf(shown)).deep.equal([200, 200]);
    const [, edge = "", , signature = "", expires = ""] =
      /^(.*\/hls)\/(\w+)\/([\w-]+)\/(\d+)\//.exec(shown[0] ?? "") ?? [];
    const unsigned = [`${new URL(edge).origin}/clips/${clip_id}.mp4`, `${edge}/${clip_id}_public/clip.mp4`];
    expect(await statusesOf(unsigned)).deep.equal([404, 404]);
    const altered = shown.map((address) =>
      address.replace(signature, signature.split("").reverse().join("")),
    );
    expect(await statusesOf(altered)).deep.equal([403, 403]);
    expect(await statusesOf(shown.map((address) => address.replace(expires, "1000000000")))).deep.equal([
      403, 403,
    ]);
    const swapped = shown.map((address) => address.replace(`${clip_id}_public`, `${clip_id}_private`));
    expect(await statusesOf(swapped)).deep.equal([403, 403]);

    await client.call("updateClip", { path, body: { visibility: "private" } });
    await eventually(async () => expect(await statusesOf(shown)).deep.equal([404, 404]), PATIENT);
    const hidden = await client.call("getClip", { path });
    const own = [String(hidden.video_url), String(hidden.thumbnail_url)];
    expect(await statusesOf(own)).deep.equal([200, 200]);

    await client.call("deleteClip", { path });
    await eventually(async () => expect(await statusesOf(own)).deep.equal([404, 404]), PATIENT);
  }
});
