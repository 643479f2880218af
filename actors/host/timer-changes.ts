import { newId } from "../../store/ids.ts";
import type { TimerDoc } from "../../store/mongo/timers.ts";

const FREE = new Date(0);

/** What a batch does to an actor's timers: the last word on each name counts. */
export class TimerChanges {
  readonly actor: string;
  readonly #changes = new Map<string, TimerDoc | null>();

  constructor(actor: string) {
    this.actor = actor;
  }

  set(timerId: string, event: { type: string }, dueAt: Date): void {
    this.#changes.set(timerId, {
      _id: newId(),
      actor: this.actor,
      timerId,
      event,
      dueAt,
      leasedUntil: FREE,
      leasedBy: null,
    });
  }

  cancel(timerId: string): void {
    this.#changes.set(timerId, null);
  }

  /** True when this batch has replaced or removed the timer that was stored under that name. */
  touches(timerId: string): boolean {
    return this.#changes.has(timerId);
  }

  get remove(): string[] {
    return [...this.#changes.keys()];
  }

  get add(): TimerDoc[] {
    return [...this.#changes.values()].filter((timer) => timer !== null);
  }
}
