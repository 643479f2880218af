import { type Check, check } from "./report.ts";
import { type Stage, until } from "./stage.ts";

const READY_MS = 60_000;

/** Checks, while the stream is live, that its picture is served at the signed address in two qualities. */
export async function lookAtPicture(stage: Stage): Promise<Check[]> {
  const { visitor, creator, progress } = stage;
  const source = await until(
    stage,
    async () => {
      const seen = await visitor.call("getPlayback", { path: { stream_id: creator.streamId } });
      return seen.live_since !== null && seen.qualities.length === 2 ? seen : null;
    },
    {
      waitingFor: "the media service to report both qualities of the picture",
      withinMs: READY_MS,
      everyMs: 500,
      late: () => "The media service showed no picture in time.",
    },
  );
  const manifest = await fetch(source.manifest_url, { signal: AbortSignal.timeout(READY_MS) });
  progress.done(
    `its picture is at ${source.manifest_url.split("/").slice(0, 3).join("/")}/…, signed for five minutes`,
  );
  return [
    check(
      "the manifest at the signed address",
      "HLS",
      (await manifest.text()).startsWith("#EXTM3U") ? "HLS" : manifest.status,
    ),
    check("qualities of the picture", "Source, 360p", source.qualities.map(({ label }) => label).join(", ")),
  ];
}

/** Waits until the recording of the ended broadcast is a video. */
export async function awaitVideo(stage: Stage): Promise<Check[]> {
  const { visitor, creator, progress } = stage;
  const path = { username: creator.username };
  const videos = await until(
    stage,
    async () => {
      const { items } = await visitor.call("listVideos", { path });
      return items.length > 0 ? items : null;
    },
    {
      waitingFor: "the recording to become a video",
      withinMs: READY_MS,
      everyMs: 500,
      late: () => "The broadcast became no video in time.",
    },
  );
  progress.done(`its recording is a video of ${videos[0]?.duration_seconds} s`);
  return [check("videos of the broadcast", 1, videos.length)];
}
