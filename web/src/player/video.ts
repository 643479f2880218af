import type { components, LivecoreClient } from "@livecore/client";
import workerPath from "hls.js/dist/hls.worker.js?url";
import Hls from "hls.js/light";
import { Playback } from "./playback.ts";

/** `waiting`: for the viewer, who paused it or has to ask for it. */
export type Picture = "starting" | "waiting" | "playing" | "failed" | "unsupported";
export type Quality = { index: number; label: string };

type Source = components["schemas"]["PlaybackSource"];
type Level = { bitrate: number; height: number };

const TRIED_AGAIN_MS = 3_000;
const RECOVERED_APART_MS = 10_000;
const NATIVE = "application/vnd.apple.mpegurl";

type VideoOptions = {
  client: LivecoreClient;
  streamId: string;
  onPicture: (picture: Picture) => void;
  onQualities: () => void;
};

/** A broadcast in a video element: through hls.js, or by the browser itself where it alone can. */
export class LiveVideo {
  qualities: Quality[] = [];
  /** Which is chosen; -1 leaves it to the bandwidth. */
  chosen = -1;
  readonly #video: HTMLVideoElement;
  readonly #playback: Playback;
  readonly #onPicture: (picture: Picture) => void;
  readonly #onQualities: () => void;
  #hls: Hls | null = null;
  #recoveredAt = Number.NEGATIVE_INFINITY;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isWanted = false;
  /** The viewer paused it: whatever fails and comes back meanwhile, it stays so. */
  #isHeld = false;

  constructor(video: HTMLVideoElement, { client, streamId, onPicture, onQualities }: VideoOptions) {
    this.#video = video;
    this.#onPicture = onPicture;
    this.#onQualities = onQualities;
    this.#playback = new Playback(client, streamId, (source) => this.#addressRenewed(source));
    video.addEventListener("playing", () => onPicture("playing"));
  }

  /** Shows the broadcast that runs, now or as soon as there is something to see. */
  start(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#onPicture("starting");
    void this.#open();
  }

  play(): void {
    this.#isHeld = false;
    this.start();
    this.#toLive();
    this.#playUnlessRefused();
  }

  pause(): void {
    this.#isHeld = true;
    if (this.#video.paused) this.#onPicture("waiting");
    this.#video.pause();
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  stop(): void {
    this.#isWanted = false;
    this.#isHeld = false;
    clearTimeout(this.#retry);
    this.#playback.close();
    this.#close();
    this.#video.removeAttribute("src");
    this.#video.load();
  }

  /** -1 leaves it to the bandwidth. */
  choose(index: number): void {
    this.chosen = index;
    if (this.#hls) this.#hls.nextLevel = index;
  }

  /** To the newest picture, where a pause had stopped. */
  #toLive(): void {
    const { liveSyncPosition } = this.#hls ?? {};
    if (typeof liveSyncPosition === "number") this.#video.currentTime = liveSyncPosition;
  }

  async #open(): Promise<void> {
    const source = await this.#playback.open({ hasQualities: Hls.isSupported() }).catch(() => null);
    if (!this.#isWanted) return;
    if (!source || source.live_since === null) return this.#again();
    if (Hls.isSupported()) this.#play(source.manifest_url, source.qualities);
    else if (this.#video.canPlayType(NATIVE) !== "") this.#playNatively(source.manifest_url);
    else this.#onPicture("unsupported");
  }

  #play(manifest: string, labels: Source["qualities"]): void {
    this.#close();
    const hls = new Hls({
      workerPath,
      lowLatencyMode: true,
      // hls.js would send them to the address that it was given first.
      xhrSetup: (request, url) => request.open("GET", this.#playback.current(url), true),
    });
    this.#hls = hls;
    hls.on(Hls.Events.MANIFEST_PARSED, () => {
      this.qualities = qualitiesOf(hls.levels, labels);
      this.#playUnlessRefused();
    });
    hls.on(Hls.Events.ERROR, (_event, { fatal, type }) => {
      if (!fatal) return;
      if (type === Hls.ErrorTypes.MEDIA_ERROR && this.#mayRecover()) hls.recoverMediaError();
      else this.#again();
    });
    hls.loadSource(manifest);
    hls.attachMedia(this.#video);
  }

  /** Once in a while: what can't be decoded at all would be begun again without a pause. */
  #mayRecover(): boolean {
    const now = performance.now();
    const may = now - this.#recoveredAt > RECOVERED_APART_MS;
    if (may) this.#recoveredAt = now;
    return may;
  }

  #playNatively(manifest: string): void {
    this.#video.src = manifest;
    this.#video.onerror = () => this.#again();
    this.#playUnlessRefused();
  }

  /** A browser that plays natively asks by itself, so it has to be given the new address. */
  #addressRenewed({ qualities }: Source): void {
    if (this.#hls) {
      this.qualities = qualitiesOf(this.#hls.levels, qualities);
      this.#onQualities();
    } else if (this.#isWanted) void this.#open();
  }

  #playUnlessRefused(): void {
    if (this.#isHeld) {
      this.#onPicture("waiting");
      return;
    }
    this.#video.play().catch((err: unknown) => {
      // A browser that wants a gesture first.
      if (err instanceof DOMException && err.name === "NotAllowedError") this.#onPicture("waiting");
    });
  }

  #again(): void {
    if (!this.#isWanted) return;
    this.#close();
    this.#onPicture(this.#video.currentTime > 0 ? "failed" : "starting");
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#open(), TRIED_AGAIN_MS);
  }

  #close(): void {
    this.#hls?.destroy();
    this.#hls = null;
  }
}

/** Named as the media service does, where it has told of as many; both lists have an order by their rates. */
function qualitiesOf(levels: readonly Level[], told: Source["qualities"]): Quality[] {
  const names = told.toSorted((a, b) => a.bitrate - b.bitrate).map(({ label }) => label);
  return levels
    .map((level, index) => ({ index, level }))
    .toSorted((a, b) => a.level.bitrate - b.level.bitrate)
    .map(({ index, level }, place) => ({
      index,
      label: nameOf(level, names.length === levels.length ? names[place] : ""),
    }))
    .reverse();
}

const nameOf = ({ height, bitrate }: Level, told = ""): string =>
  told || (height > 0 ? `${height}p` : `${Math.round(bitrate / 1_000)} kbit/s`);
