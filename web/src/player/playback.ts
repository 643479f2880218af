import type { components, LivecoreClient } from "@livecore/client";

type Source = components["schemas"]["PlaybackSource"];

/** So long before its end an address is replaced. */
const RENEWED_BEFORE_MS = 60_000;
const TRIED_AGAIN_MS = 5_000;
/** How often it is looked whether the service knows the qualities by now; it may never. */
const LOOKS = 6;
/** By a clock that is wrong an address has ended already, or lasts for hours: it is good for five minutes. */
const RENEWED_WITHIN = { leastMs: 30_000, mostMs: 240_000 };

/**
 * The signed address of a stream's pictures, renewed before it ends without the player's noticing: what is asked for below
 * an address that was given out before is asked for below the newest one.
 */
export class Playback {
  readonly #client: LivecoreClient;
  readonly #streamId: string;
  readonly #onRenewed: (source: Source) => void;
  /** Of all addresses so far, up to the manifest's name. */
  #bases: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looksLeft = 0;
  /** Rises with what ends the renewals under way. */
  #turn = 0;

  constructor(client: LivecoreClient, streamId: string, onRenewed: (source: Source) => void) {
    this.#client = client;
    this.#streamId = streamId;
    this.#onRenewed = onRenewed;
  }

  /** Asks for an address and renews it from then on; sooner, where qualities have names to show. Null when there is none now. */
  async open({ hasQualities }: { hasQualities: boolean }): Promise<Source | null> {
    this.close();
    this.#looksLeft = hasQualities ? LOOKS : 0;
    const turn = this.#turn;
    const answer = await this.#ask();
    if (!answer.ok || turn !== this.#turn) return null;
    const { data: source } = answer;
    this.#bases = [baseOf(source.manifest_url)];
    this.#renewLater(source);
    return source;
  }

  /** Where to ask for a piece now that was named below an earlier address. */
  current(url: string): string {
    const newest = this.#bases[0];
    const known = this.#bases.find((base) => url.startsWith(base));
    return newest === undefined || known === undefined ? url : newest + url.slice(known.length);
  }

  close(): void {
    this.#turn++;
    clearTimeout(this.#timer);
  }

  #ask() {
    const path = { stream_id: this.#streamId };
    return this.#client.attempt("getPlayback", { path, query: { protocol: "ll-hls" } });
  }

  #renewLater(source: Source): void {
    const wait = Date.parse(source.expires_at) - Date.now() - RENEWED_BEFORE_MS;
    // A broadcast that has just begun has qualities of which the service isn't told yet.
    const { leastMs, mostMs } = RENEWED_WITHIN;
    const isSoon = source.qualities.length === 0 && this.#looksLeft-- > 0;
    const ms = isSoon ? TRIED_AGAIN_MS : Math.min(Math.max(wait, leastMs), mostMs);
    this.#timer = setTimeout(() => void this.#renew(), ms);
  }

  async #renew(): Promise<void> {
    const turn = this.#turn;
    try {
      const answer = await this.#ask();
      if (turn !== this.#turn) return;
      if (!answer.ok) throw answer.error;
      const { data: source } = answer;
      this.#bases = [baseOf(source.manifest_url), ...this.#bases].slice(0, 4);
      this.#renewLater(source);
      this.#onRenewed(source);
    } catch {
      if (turn !== this.#turn) return;
      // The address in use is good for a while yet.
      this.#timer = setTimeout(() => void this.#renew(), TRIED_AGAIN_MS);
    }
  }
}

const baseOf = (manifest: string): string => manifest.slice(0, manifest.lastIndexOf("/") + 1);
