import type { components, LivecoreClient } from "@livecore/client";
import { signal } from "@preact/signals";

type Emote = components["schemas"]["ChatEmote"];
type Emotes = { channel: readonly Emote[]; global: readonly Emote[] };

/** The service's longest page; a set has at most two of them. */
const PER_PAGE = 100;
const MOST_PAGES = 2;
/** The owner of a channel may use all of its emotes. */
const OWNERS_TIER = 3;

/** The emotes that may be written in a room, read when they are first asked for. */
export class EmoteSets {
  /** Undefined while they aren't there, null after a try that failed. */
  readonly emotes = signal<Emotes | null | undefined>(undefined);
  /** Up to which tier the reader may use them; nothing counts as locked until it is known. */
  readonly #tier = signal(OWNERS_TIER);
  readonly #client: LivecoreClient;
  readonly #streamId: string;
  readonly #channel: string;
  #reading: Promise<void> | null = null;

  /** @param channel the username of its owner */
  constructor(client: LivecoreClient, streamId: string, channel: string) {
    this.#client = client;
    this.#streamId = streamId;
    this.#channel = channel;
  }

  /** All that the reader may use, the channel's own first. */
  get usable(): readonly Emote[] {
    const { channel = [], global = [] } = this.emotes.value ?? {};
    return [...channel, ...global].filter((emote) => !this.isLocked(emote));
  }

  /** Whether it is for subscribers of a higher tier than the reader's: it would be sent as plain text. */
  isLocked = ({ min_tier = 0 }: Emote): boolean => min_tier > this.#tier.value;

  /** Reads the reader's tier again, where that can unlock something: they may have subscribed since. */
  async needTier(): Promise<void> {
    const { channel = [] } = this.emotes.peek() ?? {};
    if (!channel.some(({ min_tier = 0 }) => min_tier > 0)) return;
    const path = { username: this.#channel };
    const answer = await this.#client.attempt("getMyStanding", { path }).catch(() => null);
    // Without an answer the tier stays as it is: the service decides about each message.
    if (!answer?.ok) return;
    const { role, subscription } = answer.data;
    this.#tier.value = role === "owner" ? OWNERS_TIER : (subscription?.tier ?? 0);
  }

  /** Does nothing while they are there or on their way. */
  need(): void {
    if (this.emotes.peek()) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
  }

  /** After a change of the channel's emotes. */
  changed(): void {
    if (this.emotes.peek()) void this.#read();
  }

  async #read(): Promise<void> {
    const path = { stream_id: this.#streamId };
    try {
      const [channel, global] = await Promise.all([
        pagesOf((query) => this.#client.call("listChannelEmotes", { path, query })),
        pagesOf((query) => this.#client.call("listGlobalEmotes", { query })),
      ]);
      this.emotes.value = { channel, global };
      await this.needTier();
    } catch {
      // The picker says so; what is typed needs no set.
      this.emotes.value ??= null;
    }
  }
}

type Page = { items: Emote[]; has_more: boolean };

async function pagesOf(read: (query: { page: number; per_page: number }) => Promise<Page>): Promise<Emote[]> {
  const all: Emote[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { items, has_more } = await read({ page, per_page: PER_PAGE });
    all.push(...items);
    if (!has_more) break;
  }
  return all;
}
