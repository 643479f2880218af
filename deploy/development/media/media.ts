/**
 * A media service for development: nginx with its rtmp module, ffmpeg, and the code that connects the two with livecore. It
 * uses the same signed webhooks, requests and URLs as a real one. Nothing else in livecore knows of it.
 */
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Settings } from "../../processes/config/config.ts";
import type { Secret } from "../../processes/config/secret.ts";
import { SETTINGS } from "../../processes/config/settings.ts";
import { StartError } from "../../processes/process/start-error.ts";
import { makePrivate, writePrivate } from "../home/home.ts";
import { freePort, isPortFree } from "../stores/ports.ts";
import { startStoreProcess, stop as stopRecorded } from "../stores/store-process.ts";
import { createMediaApp, listen } from "./app.ts";
import { createClipCutter } from "./clip-cutter.ts";
import { createHookSender } from "./hook-sender.ts";
import { createLiveStreams, type LiveStreams } from "./live-streams.ts";
import { createMediaFiles } from "./media-files.ts";
import { type MediaFolders, nginxConfig } from "./nginx-config.ts";
import { moveOlderFiles } from "./older-files.ts";
import type { MediaPrograms } from "./programs.ts";
import { createRecordings } from "./recordings.ts";

type MediaService = {
  /** Environment variables that tell the service about it. */
  env: Record<string, string>;
  /** Where broadcasters publish to. */
  rtmpUrl: string;
  /** Reports what the last run left behind. Call it once the service answers and before anybody publishes. */
  finishOld(): Promise<void>;
  stop(): Promise<void>;
};

const RTMP_PORT = 1935;
const EDGE_PORT = 8088;
const APPLICATION = "ingest";
const READY_WITHIN_MS = 1_000;

type Options = {
  settings: Settings;
  programs: MediaPrograms;
  say: (line: string) => void;
  complain: (line: string) => void;
  signal: AbortSignal;
};

/** Starts it. Publishers are accepted as soon as the service answers at its port of `settings`. Throws a StartError. */
export async function startMedia(options: Options): Promise<MediaService> {
  const { settings, programs, complain } = options;
  const folders = makeFolders(settings.home);
  const { peers, mediaRequests } = settings.secrets;
  const ingestKey = firstOf(peers.ingest.keys);
  const [systemKey, secret] = [firstOf(peers.media.keys), firstOf(peers.media.webhookSecrets)];

  const serviceUrl = `http://127.0.0.1:${settings.http.port}`;
  const rtmpPort = (await isPortFree(RTMP_PORT)) ? RTMP_PORT : await freePort();
  const edgePort = (await isPortFree(EDGE_PORT)) ? EDGE_PORT : await freePort();
  const edgeUrl = `http://localhost:${edgePort}`;
  const hooks = createHookSender({ serviceUrl, systemKey, secret, complain });
  const files = createMediaFiles(folders);
  const shared = { folders, files, programs, hooks, complain };
  const live: LiveStreams = createLiveStreams({ ...shared, thumbnailsUrl: `${edgeUrl}/thumbnails` });
  const recordings = createRecordings(shared);
  const clips = createClipCutter({ ...shared, recordings });
  const secrets = mediaRequests.map((one) => one.reveal());
  const app = await listen(createMediaApp({ live, recordings, clips, files, secrets, complain }));

  const config = nginxConfig({
    folders,
    rtmpModule: programs.rtmpModule,
    ffmpeg: programs.ffmpeg,
    isRoot: process.getuid?.() === 0,
    rtmpPort,
    httpPort: edgePort,
    serviceUrl,
    ingestKey,
    ownUrl: app.url,
    edgeKeys: settings.edge.keys.map((key) => key.reveal()),
  });
  const nginx = await startNginx(options, { folders, config, edgePort });
  return {
    env: {
      [SETTINGS.ingestUrl.name]: `rtmp://localhost:${rtmpPort}/${APPLICATION}`,
      [SETTINGS.edgeUrl.name]: `${edgeUrl}/hls`,
      [SETTINGS.mediaHooks.name]: "yes",
      [SETTINGS.mediaUrl.name]: `${app.url}/clips`,
      [SETTINGS.mediaControlUrl.name]: `http://127.0.0.1:${edgePort}/control`,
    },
    rtmpUrl: `rtmp://localhost:${rtmpPort}/${APPLICATION}`,
    async finishOld() {
      await recordings.finishOld();
      await moveOlderFiles({ folders, files, recordings, hooks });
    },
    async stop() {
      // nginx ends first: its last hooks report the ends of streams.
      await nginx.stop();
      hooks.stop();
      await live.stop();
      await clips.stop();
      await app.close();
    },
  };
}

/** Development generates one of each. */
function firstOf([secret]: readonly Secret[]): string {
  if (!secret) throw new StartError("The media service has no secrets: see docs/configuration.md.");
  return secret.reveal();
}

async function startNginx(
  { programs, say, signal }: Options,
  { folders, config, edgePort }: { folders: MediaFolders; config: string; edgePort: number },
) {
  const file = join(folders.nginx, "nginx.conf");
  writePrivate(file, config);
  // An nginx that a killed run left behind would still call hook URLs at which nobody listens any more.
  await stopRecorded(join(folders.nginx, "process.json"));
  return startStoreProcess({
    title: "nginx",
    folder: folders.nginx,
    say,
    signal,
    lastPort: edgePort,
    command: async () => ({
      path: programs.nginx,
      args: ["-e", join(folders.nginx, "error.log"), "-c", file],
    }),
    async ready() {
      const health = `http://127.0.0.1:${edgePort}/health`;
      const answer = await fetch(health, { signal: AbortSignal.timeout(READY_WITHIN_MS) });
      if (!answer.ok) throw new Error(`nginx answered ${answer.status}`);
    },
  });
}

/** Recordings, clips and thumbnails persist; the files of live streams are removed. */
function makeFolders(home: string): MediaFolders {
  const media = join(home, "media");
  const served = join(media, "served");
  const folders: MediaFolders = {
    nginx: join(media, "nginx"),
    raw: join(media, "raw"),
    live: join(served, "live"),
    recordings: join(served, "recordings"),
    files: join(served, "files"),
    olderClips: join(served, "clips"),
    thumbnails: join(served, "thumbnails"),
  };
  makePrivate(media);
  rmSync(folders.live, { recursive: true, force: true });
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  if (dirname(folders.live) !== served) throw new Error("what is served lies in one folder");
  return folders;
}
