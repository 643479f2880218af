import { newId } from "../../base/ids.ts";
import type { StoredTimer } from "../../store/mongo/host/snapshots.ts";
import type { TimerDoc } from "../../store/mongo/host/timers.ts";

const FREE = new Date(0);

/** A batch's changes to an actor's timers; the last change of each timer id wins. */
export class TimerChanges {
  readonly actor: string;
  readonly #changes = new Map<string, TimerDoc | null>();
  readonly #current: Map<string, StoredTimer>;

  /** `stored`: the timers that the actor has before the batch. */
  constructor(actor: string, stored: readonly StoredTimer[]) {
    this.actor = actor;
    this.#current = new Map(stored.map((timer) => [timer.timerId, timer]));
  }

  /** Applies a timer action of XState: `after` raises with a delay when its state is entered, and cancels when it is left. */
  apply({ type, params }: { type: string; params?: unknown }, at: Date): void {
    const { id, sendId, delay, event } = timerParams(params);
    if (type === "xstate.cancel" && sendId !== undefined) {
      this.cancel(sendId);
      return;
    }
    if (id === undefined || delay === undefined || !event) throw new Error("a timer needs an id and a delay");
    this.set(id, event, new Date(at.getTime() + delay));
  }

  set(timerId: string, event: { type: string }, dueAt: Date): void {
    this.#current.set(timerId, { timerId, event, dueAt });
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
    this.#current.delete(timerId);
    this.#changes.set(timerId, null);
  }

  /** True when this batch has set or cancelled the timer with that id. */
  touches(timerId: string): boolean {
    return this.#changes.has(timerId);
  }

  /** The timers with the changes so far. */
  get current(): StoredTimer[] {
    return [...this.#current.values()];
  }

  /** The earliest of the timers that are due at `at` and for which `counts` is true; null when there is none. */
  firstDueBy(at: Date, counts: (timer: StoredTimer) => boolean): StoredTimer | null {
    const due = this.current.filter((timer) => timer.dueAt <= at && counts(timer));
    return due.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())[0] ?? null;
  }

  get remove(): string[] {
    return [...this.#changes.keys()];
  }

  get add(): TimerDoc[] {
    return [...this.#changes.values()].filter((timer) => timer !== null);
  }
}

export const isTimerAction = (type: string) => type === "xstate.raise" || type === "xstate.cancel";

type TimerParams = { id?: string; sendId?: string; delay?: number; event?: { type: string } };

function timerParams(params: unknown): TimerParams {
  return typeof params === "object" && params !== null ? params : {};
}
