import type { components, Subscription } from "@livecore/client";
import { signal } from "@preact/signals";

type PointsBalance = components["schemas"]["PointsBalance"];
/** Numbered, so that each is shown once. */
type Change = { no: number; delta: number };

/** A user's points on one channel, and the bonus that waits for them. */
export class Balance {
  /** Null until it is known. */
  readonly points = signal<number | null>(null);
  /** The waiting bonus; 0 for none. */
  readonly claimable = signal(0);
  /** The last change by an event; null before the first. */
  readonly change = signal<Change | null>(null);
  readonly #channelUserId: string;
  /** Of the newest event's entry: events of a replay are older than what was read. */
  #version = 0;
  #events = 0;

  constructor(channelUserId: string) {
    this.#channelUserId = channelUserId;
  }

  /** Follows the user's own events. Returns what ends that. */
  follow(own: Subscription<"user">): (() => void)[] {
    return [
      own.on("points.changed", ({ data: { channel_user_id, balance, delta, version } }) => {
        if (channel_user_id !== this.#channelUserId || version <= this.#version) return;
        this.#version = version;
        this.points.value = balance;
        this.change.value = { no: ++this.#events, delta };
      }),
      own.on("points.bonus", ({ data: { channel_user_id, claimable } }) => {
        if (channel_user_id !== this.#channelUserId) return;
        this.#events++;
        this.claimable.value = claimable;
      }),
    ];
  }

  /** Changes with each event: an answer that was asked for before may be older. */
  get mark(): number {
    return this.#events;
  }

  /** What the service answered to a request that was made at `mark`. False where an event came meanwhile. */
  known({ balance, claimable }: PointsBalance, mark: number): boolean {
    if (mark !== this.#events) return false;
    this.points.value = balance;
    this.claimable.value = claimable;
    return true;
  }
}
