import type { components, LivecoreClient } from "@livecore/client";
import { signal } from "@preact/signals";

type Emote = components["schemas"]["ChatEmote"];
type Emotes = { channel: readonly Emote[]; global: readonly Emote[] };

/** The service's longest page; a set has at most two of them. */
const PER_PAGE = 100;
const MOST_PAGES = 2;

/** The emotes that may be written in a room, read when they are first asked for. */
export class EmoteSets {
  /** Undefined while they aren't there, null after a try that failed. */
  readonly emotes = signal<Emotes | null | undefined>(undefined);
  readonly #client: LivecoreClient;
  readonly #streamId: string;
  #reading: Promise<void> | null = null;

  constructor(client: LivecoreClient, streamId: string) {
    this.#client = client;
    this.#streamId = streamId;
  }

  /** All of them, the channel's own first. */
  get all(): readonly Emote[] {
    const { channel = [], global = [] } = this.emotes.value ?? {};
    return [...channel, ...global];
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
