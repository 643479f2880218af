import { serverNow } from "../../site/service-clock.ts";
import { AlertMemory } from "./alert-memory.ts";
import { AlertQueue } from "./alert-queue.ts";
import type { OverlayLink } from "./link.ts";
import type { Alert, ShownOverlay } from "./settings.ts";

/** Events of a room after which there are alerts to read. One read is for all of this time, ms. */
const READ_AFTER_MS = 250;
const RETRY_MS = 5_000;
const NEWS = [
  ...(["channel.followed", "subscription.started", "subscription.gifted"] as const),
  ...(["tip.received", "raid.incoming"] as const),
];

/**
 * The alerts of an overlay. The room's events say that there is something new; what it is, the service's list says, which is read after
 * each of them and after each connection. So an event that is missed, or comes twice, changes nothing.
 */
export class AlertSource {
  readonly queue: AlertQueue;
  readonly #link: OverlayLink;
  readonly #onNews: () => void;
  #reading: ReturnType<typeof setTimeout> | undefined;

  constructor(link: OverlayLink, { id, stream_id }: ShownOverlay, onNews: () => void) {
    this.#link = link;
    this.#onNews = onNews;
    this.queue = new AlertQueue(new AlertMemory(id, serverNow), serverNow);
    const room = link.live.subscribe(`chat:${stream_id}`);
    room.on("subscribed", () => this.#readSoon());
    for (const type of NEWS) room.on(type, () => this.#readSoon());
    // Its text comes when the room has shown it.
    room.on("chat.message", ({ data: { act } }) => act?.type === "tip" && this.#readSoon());
    link.live.subscribe("user").on("overlay.tested", ({ data: { alert } }) => this.#came([alert]));
    this.#readSoon();
  }

  #readSoon(afterMs = READ_AFTER_MS): void {
    this.#reading ??= setTimeout(() => {
      this.#reading = undefined;
      void this.#read();
    }, afterMs);
  }

  async #read(): Promise<void> {
    const found = await this.#link.alerts();
    if (found) this.#came(found.alerts);
    else this.#readSoon(RETRY_MS);
  }

  #came(alerts: readonly Alert[]): void {
    this.queue.add(alerts);
    this.#onNews();
  }
}
