import type { AlertMemory } from "./alert-memory.ts";
import type { Alert } from "./settings.ts";

/** Older ones aren't shown any more, ms: after a sleep there is no burst of them. */
const TOO_LATE_MS = 300_000;
/** How many may wait. The oldest give way. */
const MAX_WAITING = 200;
/** From so many waiting follows on, one alert is for all of them. */
const MANY_FOLLOWS = 4;

/** One alert on the screen. `count`: how many follows or gifts it stands for. */
export type Shown = { alert: Alert; count: number };

/** Alerts that wait for their turn, in the order in which they happened; each is given out once. */
export class AlertQueue {
  #waiting: Alert[] = [];
  readonly #memory: Pick<AlertMemory, "isNew" | "note">;
  readonly #now: () => number;

  constructor(memory: Pick<AlertMemory, "isNew" | "note">, now: () => number) {
    this.#memory = memory;
    this.#now = now;
  }

  /** What is known already takes over what is newer of it, such as a tip's message. */
  add(alerts: readonly Alert[]): void {
    for (const alert of alerts) {
      if (!this.#memory.isNew(alert)) continue;
      const place = this.#waiting.findIndex(({ id }) => id === alert.id);
      if (place === -1) this.#waiting.push(alert);
      else this.#waiting[place] = alert;
    }
    this.#waiting = this.#waiting.slice(-MAX_WAITING);
  }

  /** The next one; null if none waits. */
  next(): Shown | null {
    this.#waiting = this.#waiting.filter(
      ({ created_at }) => this.#now() - Date.parse(created_at) <= TOO_LATE_MS,
    );
    const [alert] = this.#waiting;
    if (!alert) return null;
    const taken = this.#togetherWith(alert);
    this.#waiting = this.#waiting.filter((one) => !taken.includes(one));
    this.#memory.note(taken.map(({ id }) => id));
    return { alert, count: taken.length };
  }

  #togetherWith(alert: Alert): Alert[] {
    if (alert.is_test) return [alert];
    if (alert.kind === "gift") {
      return this.#waiting.filter(
        ({ kind, user, tier }) => kind === "gift" && user?.id === alert.user?.id && tier === alert.tier,
      );
    }
    const follows = this.#waiting.filter(({ kind, is_test }) => kind === "follow" && !is_test);
    return alert.kind === "follow" && follows.length >= MANY_FOLLOWS ? follows : [alert];
  }
}
