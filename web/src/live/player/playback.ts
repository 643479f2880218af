import type { components } from "@livecore/client";
import { serverNow } from "../../site/service-clock.ts";

type Source = components["schemas"]["PlaybackSource"];
/** Asks the service for an address. */
type Ask = () => Promise<{ ok: true; data: Source } | { ok: false; error: Error }>;

/** A signed URL is renewed this long before it expires. */
const RENEW_BEFORE_MS = 60_000;
const RETRY_MS = 5_000;
/** How often the source is polled for the qualities' names; the service may never learn them. */
const MAX_POLLS = 6;
/** Bounds for a wrong local clock while the service's isn't known: by it the URL may have expired already. It is valid for five minutes. */
const RENEW_BOUNDS = { leastMs: 30_000, mostMs: 240_000 };

/**
 * The signed URL of a broadcast or recording. It is renewed before it expires without interrupting the player: requests below an earlier
 * URL are rewritten to the newest one.
 */
export class Playback {
  readonly #ask: Ask;
  readonly #onRenewed: (source: Source) => void;
  /** The bases of the newest URLs, up to the manifest's name, newest first. */
  #bases: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pollsLeft = 0;
  /** Incremented by `close` and `open`, which make pending requests obsolete. */
  #generation = 0;

  constructor(ask: Ask, onRenewed: (source: Source) => void) {
    this.#ask = ask;
    this.#onRenewed = onRenewed;
  }

  /**
   * Requests a URL and renews it from then on; sooner while the qualities' names are missing, if `hasQualities`. Null when
   * there is none.
   */
  async open({ hasQualities }: { hasQualities: boolean }): Promise<Source | null> {
    this.close();
    this.#pollsLeft = hasQualities ? MAX_POLLS : 0;
    const generation = this.#generation;
    const answer = await this.#ask();
    if (!answer.ok || generation !== this.#generation) return null;
    const { data: source } = answer;
    this.#bases = [baseOf(source.manifest_url)];
    this.#renewLater(source);
    return source;
  }

  /** Rewrites a URL below an earlier base to the newest base. */
  current(url: string): string {
    const newest = this.#bases[0];
    const known = this.#bases.find((base) => url.startsWith(base));
    return newest === undefined || known === undefined ? url : newest + url.slice(known.length);
  }

  close(): void {
    this.#generation++;
    clearTimeout(this.#timer);
  }

  #renewLater(source: Source): void {
    const wait = Date.parse(source.expires_at) - serverNow() - RENEW_BEFORE_MS;
    // The service learns a new broadcast's qualities a little later.
    const { leastMs, mostMs } = RENEW_BOUNDS;
    const isSoon = source.qualities.length === 0 && this.#pollsLeft-- > 0;
    const ms = isSoon ? RETRY_MS : Math.min(Math.max(wait, leastMs), mostMs);
    this.#timer = setTimeout(() => void this.#renew(), ms);
  }

  async #renew(): Promise<void> {
    const generation = this.#generation;
    try {
      const answer = await this.#ask();
      if (generation !== this.#generation) return;
      if (!answer.ok) throw answer.error;
      const { data: source } = answer;
      this.#bases = [baseOf(source.manifest_url), ...this.#bases].slice(0, 4);
      this.#renewLater(source);
      this.#onRenewed(source);
    } catch {
      if (generation !== this.#generation) return;
      // The current URL is still valid for a while.
      this.#timer = setTimeout(() => void this.#renew(), RETRY_MS);
    }
  }
}

const baseOf = (manifest: string): string => manifest.slice(0, manifest.lastIndexOf("/") + 1);
