import type { components, LivecoreClient, Subscription } from "@livecore/client";
import { serverNow } from "../site/service-clock.ts";
import type { Lines } from "./lines.ts";

type Schemas = components["schemas"];
export type Pin = Schemas["ChatPin"];
/** By id. */
export type Badges = ReadonlyMap<string, Schemas["ChatBadge"]>;

/** All who follow a room hear of a change at once: they don't all ask at once. */
const ASKED_WITHIN_MS = 2_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What REST alone has of a room: the badges that authors wear, and the pinned message. */
export class RoomFacts {
  badges: Badges = new Map();
  pinned: Pin | null = null;
  readonly #streamId: string;
  readonly #lines: Lines;
  readonly #client: () => LivecoreClient;
  readonly #onChange: () => void;
  #asking: ReturnType<typeof setTimeout> | undefined;
  #pinEnds: ReturnType<typeof setTimeout> | undefined;
  /** Changes with each event about the pin, which an answer may be older than. */
  #pinVersion = 0;

  constructor(streamId: string, lines: Lines, on: { client: () => LivecoreClient; change: () => void }) {
    this.#streamId = streamId;
    this.#lines = lines;
    this.#client = on.client;
    this.#onChange = on.change;
  }

  /** Returns what ends that. */
  follow(topic: Subscription<`chat:${string}`>): (() => void)[] {
    return [
      topic.on("chat.pinned", ({ data: { uuid, pinned_at, expires_at } }) => {
        this.#pinVersion++;
        const message = this.#lines.message(uuid);
        if (message) this.#pin({ message, pinned_at, expires_at });
        else this.#readLater();
      }),
      topic.on("chat.unpinned", () => this.#unpinIf(() => true)),
      topic.on("chat.cleared", () => this.#unpinIf(() => true)),
      topic.on("chat.message_deleted", ({ data }) => this.#unpinIf(({ uuid }) => uuid === data.uuid)),
      ...(["chat.user_banned", "chat.user_timed_out"] as const).map((type) =>
        topic.on(type, ({ data }: { data: { user_id: string } }) =>
          this.#unpinIf(({ user_id }) => user_id === data.user_id),
        ),
      ),
      topic.on("chat.config", ({ data }) => data.changed === "badges" && this.#readLater()),
    ];
  }

  close(): void {
    clearTimeout(this.#asking);
    clearTimeout(this.#pinEnds);
  }

  /** Resolves with the room as it was read; null without an answer. */
  async read(): Promise<Schemas["ChatRoom"] | null> {
    const version = this.#pinVersion;
    const path = { stream_id: this.#streamId };
    const answer = await this.#client()
      .attempt("getChatRoom", { path })
      .catch(() => null);
    // The room is readable without them.
    if (!answer?.ok) return null;
    this.badges = new Map(answer.data.badges.map((badge) => [badge.id, badge]));
    if (version === this.#pinVersion) this.#pin(answer.data.pinned);
    this.#onChange();
    return answer.data;
  }

  #readLater(): void {
    clearTimeout(this.#asking);
    this.#asking = setTimeout(() => void this.read(), Math.random() * ASKED_WITHIN_MS);
  }

  #unpinIf(isOver: (message: Schemas["ChatMessage"]) => boolean): void {
    this.#pinVersion++;
    if (this.pinned && isOver(this.pinned.message)) this.#pin(null);
  }

  #pin(pinned: Pin | null): void {
    clearTimeout(this.#pinEnds);
    this.pinned = pinned;
    if (pinned?.expires_at) {
      const left = Date.parse(pinned.expires_at) - serverNow();
      this.#pinEnds = setTimeout(() => this.#pin(null), Math.min(Math.max(0, left), LONGEST_TIMER_MS));
    }
    this.#onChange();
  }
}
