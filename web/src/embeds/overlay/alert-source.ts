import { serverNow } from "../../site/service-clock.ts";
import { AlertMemory } from "./alert-memory.ts";
import { AlertQueue, type Shown } from "./alert-queue.ts";
import type { OverlayLink } from "./link.ts";
import type { ShownOverlay } from "./settings.ts";

/** Events of a room after which there are alerts to read. One read is for all of this time, ms. */
const READ_AFTER_MS = 250;
/** Without an answer; twice as long after each further one, up to the second. */
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 60_000;
/** And once more: what was paid is stored in parts, the last of which may come after the event. */
const READ_AGAIN_MS = [3_000, 30_000];
const NEWS = [
  ...(["channel.followed", "subscription.started", "subscription.gifted"] as const),
  ...(["tip.received", "raid.incoming"] as const),
];
/** After which a text may not be shown any more. */
const REMOVALS = [
  ...(["chat.message_deleted", "chat.user_banned"] as const),
  ...(["chat.user_timed_out", "chat.cleared"] as const),
];

/**
 * The alerts of an overlay. The room's events say that there is something new; what it is, the service's list says, which is read after
 * each of them, again some seconds later, after each connection, and every few minutes. So an event that is missed, comes twice, or comes
 * before all is stored, changes nothing.
 */
export class AlertSource {
  readonly #link: OverlayLink;
  readonly #overlayId: string;
  readonly #onNews: () => void;
  /** Null before the first answer, which says what time it is: a device's clock may be hours off. */
  #queue: AlertQueue | null = null;
  #aheadMs = 0;
  readonly #began = performance.now();
  #due: ReturnType<typeof setTimeout> | undefined;
  /** When that read is due, by performance.now(). */
  #dueAt = 0;
  #again: ReturnType<typeof setTimeout>[] = [];
  #retryMs = FIRST_RETRY_MS;
  #ends: (() => void)[] = [];
  #isClosed = false;
  #isReading = false;
  /** Whether something happened during a read, which that may have missed. */
  #isStale = false;

  constructor(link: OverlayLink, { id, stream_id }: ShownOverlay, onNews: () => void) {
    this.#link = link;
    this.#overlayId = id;
    this.#onNews = onNews;
    const room = link.live.subscribe(`chat:${stream_id}`);
    this.#ends = [
      room.on("subscribed", () => this.#readAtLast()),
      ...NEWS.map((type) => room.on(type, () => this.#readRepeatedly())),
      ...REMOVALS.map((type) => room.on(type, () => this.#readForTexts())),
      // Its text comes when the room has shown it.
      room.on("chat.message", ({ data: { act } }) => act?.type === "tip" && this.#readRepeatedly()),
      link.onTest((alert) => {
        this.#queueAt(serverNow()).addTest(alert);
        this.#onNews();
      }),
    ];
    this.readSoon();
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end();
    for (const timer of [this.#due, ...this.#again]) clearTimeout(timer);
  }

  /** The next one, given out once; null if none waits. */
  next(): Shown | null {
    return this.#queue?.next() ?? null;
  }

  /** What is on the screen, as it is now; null once it isn't to be shown any more. */
  asListed(shown: Shown): Shown | null {
    return this.#queue ? this.#queue.asListed(shown) : shown;
  }

  #queueAt(time: number): AlertQueue {
    this.#aheadMs = time - Date.now();
    this.#queue ??= this.#newQueue();
    return this.#queue;
  }

  #newQueue(): AlertQueue {
    const now = (): number => Date.now() + this.#aheadMs;
    const since = now() - (performance.now() - this.#began);
    return new AlertQueue(new AlertMemory(this.#overlayId, { since, now }), now);
  }

  /** A read that is due is for all that happens until then. */
  readSoon(): void {
    this.#isStale = this.#isReading;
    if (this.#isReading) return;
    if (this.#due === undefined) this.#readAfter(READ_AFTER_MS);
    // A long wait after failures is for when nothing happens.
    else if (this.#dueAt - performance.now() > FIRST_RETRY_MS) this.#readAfter(spread(FIRST_RETRY_MS));
  }

  #readAfter(ms: number): void {
    clearTimeout(this.#due);
    this.#dueAt = performance.now() + ms;
    this.#due = setTimeout(() => {
      this.#due = undefined;
      void this.#read();
    }, ms);
  }

  /** The service is back: it doesn't take the rest of a long wait. */
  #readAtLast(): void {
    clearTimeout(this.#due);
    this.#due = undefined;
    this.#retryMs = FIRST_RETRY_MS;
    this.readSoon();
  }

  /** Moderators remove much that is on no alert. What a read that is under way brings isn't known yet. */
  #readForTexts(): void {
    if (this.#isReading || this.#queue?.hasTexts) this.readSoon();
  }

  /** After the last of several events: those before are read with it. */
  #readRepeatedly(): void {
    this.readSoon();
    for (const timer of this.#again) clearTimeout(timer);
    this.#again = READ_AGAIN_MS.map((afterMs) => setTimeout(() => this.readSoon(), afterMs));
  }

  /** One after the other, so that no older answer comes after a newer one. */
  async #read(): Promise<void> {
    this.#isReading = true;
    const found = await this.#link.alerts();
    this.#isReading = false;
    if (this.#isClosed) return;
    if (!found) return this.#retry();
    this.#retryMs = FIRST_RETRY_MS;
    this.#queueAt(Date.parse(found.server_time)).update(found.alerts);
    this.#onNews();
    if (this.#isStale) this.readSoon();
  }

  /** What happened during the failed read doesn't wait long. */
  #retry(): void {
    this.#readAfter(spread(this.#isStale ? Math.min(this.#retryMs, FIRST_RETRY_MS) : this.#retryMs));
    this.#isStale = false;
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }
}

/** Not all at the same moment: one failure is the same for all overlays. */
const spread = (ms: number): number => ms * (0.5 + Math.random() / 2);
