import type { components, MessageOf, Subscription } from "@livecore/client";
import { signal } from "@preact/signals";
import type { RoomPart } from "../chat/room.ts";
import { serverNow } from "../site/service-clock.ts";
import { keepStaying, onChoice, staysFrom } from "./kept-choice.ts";

export type RaidUpdate = MessageOf<"raid.pending">["data"];
type Role = components["schemas"]["ChatRole"] | null;

/** As the service has them. */
export const COUNTDOWN_MS = 90_000;
const ARRIVAL_MS = 60_000;
/** Readers go along at a random moment of this time: the target's room doesn't get all of them at once. */
const SPREAD_MS = 1_000;
/** How long a raid is shown as about to depart, when nothing comes after its countdown. */
const LATE_MS = 15_000;
const CANCELLED_SHOWN_MS = 10_000;
const RANKS = { pending: 0, active: 1, completed: 2, cancelled: 2 } as const;

/**
 * The raid that leaves the room that one reads. 1. While it is pending, the reader may choose to stay. 2. When it departs, `onGo` takes
 * along whoever was there before and doesn't stay; those who run the room stay in any case. 3. Where it went is shown until nobody
 * can arrive any more.
 */
export class OutgoingRaid implements RoomPart {
  readonly shown = signal<RaidUpdate | null>(null);
  readonly isStaying = signal(false);
  readonly #streamId: string;
  readonly #onGo: (update: RaidUpdate) => void;
  readonly #unfollowChoice: () => void;
  #role: Role = null;
  /** The raid that was pending while this page was open: nobody is taken along who opens the page after it has departed. */
  #awaited: string | null = null;
  #ends: ReturnType<typeof setTimeout> | undefined;
  #goes: ReturnType<typeof setTimeout> | undefined;

  constructor(streamId: string, onGo: (update: RaidUpdate) => void) {
    this.#streamId = streamId;
    this.#onGo = onGo;
    this.#unfollowChoice = onChoice(() => this.#readChoice());
  }

  close(): void {
    this.#unfollowChoice();
    clearTimeout(this.#ends);
    clearTimeout(this.#goes);
  }

  follow(topic: Subscription<`chat:${string}`>): (() => void)[] {
    return [
      topic.on("subscribed", ({ data: { state } }) => {
        this.#role = state.role ?? null;
        // Absent if the service couldn't read it in time.
        if (state.raids) this.#restart(state.raids);
      }),
      topic.on("room.standing", ({ data: { role } }) => {
        this.#role = role;
      }),
      ...(["raid.pending", "raid.go", "raid.cancelled"] as const).map((type) =>
        topic.on(type, ({ data }: MessageOf<typeof type>) => this.#see(data)),
      ),
    ];
  }

  /** Whether the user runs the room, and so isn't taken along. */
  get isRunning(): boolean {
    return this.#role !== null && this.#role !== "vip";
  }

  choose(stays: boolean): void {
    const { raid } = this.shown.peek() ?? {};
    if (!raid) return;
    keepStaying(raid.id, stays);
    this.isStaying.value = stays;
  }

  hide(): void {
    clearTimeout(this.#ends);
    this.shown.value = null;
  }

  /** After a gap: one that isn't open any more has come to its end unseen. */
  #restart(open: readonly RaidUpdate[]): void {
    const own = open.find(({ raid }) => raid.source_stream_id === this.#streamId);
    if (own) this.#see(own);
    else if (this.shown.peek()?.raid.status !== "cancelled") this.hide();
  }

  #see(update: RaidUpdate): void {
    const { raid } = update;
    if (raid.source_stream_id !== this.#streamId) return;
    const before = this.shown.peek()?.raid;
    // A replay says again what the state was before.
    if (before?.id === raid.id && RANKS[raid.status] <= RANKS[before.status]) return;
    const endsAt = endOf(raid);
    if (endsAt <= serverNow()) return;
    clearTimeout(this.#ends);
    this.#ends = setTimeout(() => this.hide(), endsAt - serverNow());
    if (raid.status === "cancelled" && before?.id !== raid.id) return;
    this.shown.value = update;
    if (before?.id !== raid.id) this.#readChoice();
    if (raid.status === "pending") this.#awaited = raid.id;
    if (raid.status === "active" && this.#awaited === raid.id) this.#goSoon(update);
  }

  #readChoice(): void {
    const { raid } = this.shown.peek() ?? {};
    if (raid) this.isStaying.value = staysFrom(raid.id);
  }

  #goSoon(update: RaidUpdate): void {
    this.#awaited = null;
    clearTimeout(this.#goes);
    this.#goes = setTimeout(() => {
      // What is half done in a dialog isn't taken from the reader.
      const isBusy = document.querySelector("dialog[open]") !== null;
      if (!this.isStaying.peek() && !this.isRunning && !isBusy) this.#onGo(update);
    }, Math.random() * SPREAD_MS);
  }
}

/** Until when it is shown, by the service's clock. */
function endOf({ status, created_at, started_at }: RaidUpdate["raid"]): number {
  if (status === "pending") return Date.parse(created_at) + COUNTDOWN_MS + LATE_MS;
  if (status === "active") return Date.parse(started_at ?? created_at) + ARRIVAL_MS;
  return status === "cancelled" ? serverNow() + CANCELLED_SHOWN_MS : 0;
}
