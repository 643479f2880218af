import type { LivecoreClient } from "@livecore/client";
import type { LiveLink, Member } from "../../site/connection.ts";
import { randomId } from "../../site/random-id.ts";

/** `since`: when it went on the air, once that is known. `isOffline`: this browser has no network, so what else is known may be old. */
export type Broadcast = {
  isLive: boolean | null;
  viewers: number;
  since: string | null;
  isGone: boolean;
  isOffline: boolean;
};

/** A heartbeat counts for a minute, so one lost heartbeat changes nothing. */
const HEARTBEAT_MS = 25_000;
const DEVICE_KEY = "livecore-device";

/**
 * Tracks whether the channel is live and how many watch, and sends heartbeats while the video plays, so that this viewer is
 * counted.
 */
export class Audience {
  readonly #client: LivecoreClient;
  readonly #streamId: string;
  readonly #onChange: (changed: Partial<Broadcast>) => void;
  readonly #deviceId = deviceId();
  readonly #link: LiveLink;
  /** What ends the handlers; the topic, which other parts of the page may follow, is left with the link. */
  readonly #ends: (() => void)[];
  /** Changes with each word of the service about whether it is live. */
  #version = 0;
  #beat: ReturnType<typeof setInterval> | undefined;

  constructor(
    { client, connect }: Member,
    streamId: string,
    onChange: (changed: Partial<Broadcast>) => void,
  ) {
    this.#client = client;
    this.#streamId = streamId;
    this.#onChange = onChange;
    this.#link = connect({ offline: (isOffline) => onChange({ isOffline }) });
    const topic = this.#link.live.subscribe(`viewers:${streamId}`);
    topic.onRefused = () => onChange({ isGone: true });
    // Another part of the page follows it since long, and it isn't said again.
    if (topic.isLive) void this.#askIsLive();
    this.#ends = [
      topic.on("subscribed", ({ data: { state } }) => {
        this.#version++;
        // The service says it unless its database was too slow.
        if (state.is_live === undefined) void this.#askIsLive();
        onChange({
          ...(state.is_live === undefined ? {} : { isLive: state.is_live }),
          ...(state.viewer_count === undefined ? {} : { viewers: state.viewer_count }),
        });
      }),
      topic.on("viewers.count", ({ data }) => onChange({ viewers: data.viewer_count })),
      topic.on("stream.live", () => {
        this.#version++;
        onChange({ isLive: true });
      }),
      topic.on("stream.offline", () => {
        this.#version++;
        onChange({ isLive: false, viewers: 0, since: null });
      }),
    ];
  }

  close(): void {
    this.#version++;
    this.watching(false);
    for (const end of this.#ends) end();
    this.#link.close();
  }

  async #askIsLive(): Promise<void> {
    const version = this.#version;
    const path = { stream_id: this.#streamId };
    const answer = await this.#client.attempt("getStream", { path }).catch(() => null);
    // An event that came meanwhile is newer.
    if (answer?.ok && version === this.#version) this.#onChange({ isLive: answer.data.is_live });
  }

  /** Idempotent: a stream that stalls now and then sends no more heartbeats than any other. */
  watching(isWatching: boolean): void {
    if (isWatching === (this.#beat !== undefined)) return;
    clearInterval(this.#beat);
    this.#beat = undefined;
    if (!isWatching) return;
    const beat = () => void this.#sendHeartbeat();
    beat();
    this.#beat = setInterval(beat, HEARTBEAT_MS);
  }

  async #sendHeartbeat(): Promise<void> {
    try {
      const counted = await this.#client.call("heartbeat", {
        body: { stream_id: this.#streamId, device_id: this.#deviceId },
      });
      this.#onChange({ viewers: counted.viewer_count });
    } catch {
      // The next heartbeat is enough.
    }
  }
}

/** Shared by all players of a browser where storage is allowed: two windows are one viewer. */
function deviceId(): string {
  try {
    const kept = localStorage.getItem(DEVICE_KEY) ?? randomId();
    localStorage.setItem(DEVICE_KEY, kept);
    return kept;
  } catch {
    // The browser denies storage to embedded pages.
    return randomId();
  }
}
