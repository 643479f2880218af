import { newId } from "../../store/ids.ts";
import type { StoredTimer } from "../../store/mongo/snapshots.ts";
import type { TimerDoc } from "../../store/mongo/timers.ts";

const FREE = new Date(0);

/** What a batch does to an actor's timers: the last word on each name counts. */
export class TimerChanges {
  readonly actor: string;
  readonly #changes = new Map<string, TimerDoc | null>();
  readonly #current: Map<string, StoredTimer>;

  /** `stored`: the timers that the actor has before the batch. */
  constructor(actor: string, stored: readonly StoredTimer[]) {
    this.actor = actor;
    this.#current = new Map(stored.map((timer) => [timer.timerId, timer]));
  }

  /** What XState requests with a state's `after`: a raise with a delay when it is entered, a cancel when it is left. */
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

  /** True when this batch has replaced or removed the timer that was stored under that name. */
  touches(timerId: string): boolean {
    return this.#changes.has(timerId);
  }

  /** The timers after what was changed so far. */
  get current(): StoredTimer[] {
    return [...this.#current.values()];
  }

  /** Of those that are due by then, and that `counts`, the one that is due first. */
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
