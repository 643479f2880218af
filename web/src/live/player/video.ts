import type { components, LivecoreClient } from "@livecore/client";
import workerPath from "hls.js/dist/hls.worker.js?url";
import Hls from "hls.js/light";
import { Playback } from "./playback.ts";

/**
 * `waiting`: for the viewer, who has paused it or has to start it. `stalled`: it played, and what comes next isn't there.
 */
export type Picture = "starting" | "waiting" | "playing" | "stalled" | "failed" | "unsupported";
type Quality = { index: number; label: string };

type Source = components["schemas"]["PlaybackSource"];
type Level = { bitrate: number; height: number };

const RETRY_MS = 3_000;
/** A shorter interruption isn't worth a word. */
const STALLED_AFTER_MS = 1_000;
const RECOVERY_INTERVAL_MS = 10_000;
const NATIVE = "application/vnd.apple.mpegurl";

type VideoOptions = {
  client: LivecoreClient;
  streamId: string;
  onPicture: (picture: Picture) => void;
  onQualities: () => void;
  /** Since when it is on the air, each time the service says so; null if it isn't. */
  onSince?: (since: string | null) => void;
};

/** Plays a broadcast in a video element: through hls.js, or natively where only the browser can. */
export class LiveVideo {
  qualities: Quality[] = [];
  /** The chosen quality; -1: automatic, by bandwidth. */
  chosen = -1;
  readonly #video: HTMLVideoElement;
  readonly #playback: Playback;
  readonly #onPicture: (picture: Picture) => void;
  #shown: Picture | null = null;
  readonly #onQualities: () => void;
  readonly #onSince: (since: string | null) => void;
  #hls: Hls | null = null;
  #recoveredAt = Number.NEGATIVE_INFINITY;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isWanted = false;
  /** The viewer has paused it; it stays paused through failures and retries. */
  #isHeld = false;
  #hasPlayed = false;
  #stall: ReturnType<typeof setTimeout> | undefined;

  constructor(video: HTMLVideoElement, { client, streamId, onPicture, onQualities, onSince }: VideoOptions) {
    this.#video = video;
    this.#onPicture = (picture) => {
      this.#shown = picture;
      onPicture(picture);
    };
    this.#onQualities = onQualities;
    this.#onSince = onSince ?? (() => undefined);
    const ask = () =>
      client.attempt("getPlayback", { path: { stream_id: streamId }, query: { protocol: "ll-hls" } });
    this.#playback = new Playback(ask, (source) => this.#addressRenewed(source));
    video.addEventListener("playing", () => {
      clearTimeout(this.#stall);
      this.#hasPlayed = true;
      this.#onPicture("playing");
    });
    video.addEventListener("waiting", () => this.#stalled());
    video.addEventListener("emptied", () => clearTimeout(this.#stall));
    video.addEventListener("pause", () => {
      clearTimeout(this.#stall);
      // A viewer who has paused it waits for nothing.
      if (this.#shown === "stalled") this.#onPicture("playing");
    });
  }

  #stalled(): void {
    clearTimeout(this.#stall);
    if (!this.#hasPlayed || !this.#isWanted || this.#isHeld) return;
    this.#stall = setTimeout(() => this.#onPicture("stalled"), STALLED_AFTER_MS);
  }

  /** The network is back: doesn't wait for the next try. */
  retryNow(): void {
    if (!this.#isWanted) return;
    clearTimeout(this.#retry);
    if (this.#hls) this.#hls.startLoad();
    else void this.#open();
  }

  /** Plays the running broadcast, now or as soon as there is video. */
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
    this.#hasPlayed = false;
    clearTimeout(this.#retry);
    clearTimeout(this.#stall);
    this.#playback.close();
    this.#close();
    this.#video.removeAttribute("src");
    this.#video.load();
  }

  /** -1: automatic, by bandwidth. */
  choose(index: number): void {
    this.chosen = index;
    if (this.#hls) this.#hls.nextLevel = index;
  }

  /** Seeks to the live edge after a pause. */
  #toLive(): void {
    const { liveSyncPosition } = this.#hls ?? {};
    if (typeof liveSyncPosition === "number") this.#video.currentTime = liveSyncPosition;
  }

  async #open(): Promise<void> {
    const source = await this.#playback.open({ hasQualities: Hls.isSupported() }).catch(() => null);
    if (!this.#isWanted) return;
    if (source) this.#onSince(source.live_since);
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
      // hls.js would keep using the URL that it was given first.
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

  /** Limits recoveries: undecodable media would restart in a loop. */
  #mayRecover(): boolean {
    const now = performance.now();
    const may = now - this.#recoveredAt > RECOVERY_INTERVAL_MS;
    if (may) this.#recoveredAt = now;
    return may;
  }

  #playNatively(manifest: string): void {
    this.#video.src = manifest;
    this.#video.onerror = () => this.#again();
    this.#playUnlessRefused();
  }

  /** Native players make their requests themselves, so they have to be given the new URL. */
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
      // The browser requires a user gesture first.
      if (err instanceof DOMException && err.name === "NotAllowedError") this.#onPicture("waiting");
    });
  }

  #again(): void {
    if (!this.#isWanted) return;
    this.#close();
    this.#onPicture(this.#hasPlayed ? "failed" : "starting");
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#open(), RETRY_MS);
  }

  #close(): void {
    this.#hls?.destroy();
    this.#hls = null;
  }
}

/**
 * Labels the qualities as the media service does, if it reported as many as there are levels; both lists are sorted by
 * bitrate.
 */
function qualitiesOf(levels: readonly Level[], named: Source["qualities"]): Quality[] {
  const names = named.toSorted((a, b) => a.bitrate - b.bitrate).map(({ label }) => label);
  return levels
    .map((level, index) => ({ index, level }))
    .toSorted((a, b) => a.level.bitrate - b.level.bitrate)
    .map(({ index, level }, place) => ({
      index,
      label: nameOf(level, names.length === levels.length ? names[place] : ""),
    }))
    .reverse();
}

const nameOf = ({ height, bitrate }: Level, label = ""): string =>
  label || (height > 0 ? `${height}p` : `${Math.round(bitrate / 1_000)} kbit/s`);
