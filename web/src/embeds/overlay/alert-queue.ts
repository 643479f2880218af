import type { AlertMemory } from "./alert-memory.ts";
import type { Alert } from "./settings.ts";

/**
 * Older ones aren't shown any more, ms: after a sleep there is no burst of them. The service lists them for a minute longer, so that
 * what is on the screen is listed until it leaves.
 */
const TOO_LATE_MS = 300_000;
/** How many may wait. The oldest give way, follows before all else. */
const MAX_WAITING = 200;
/** From so many waiting follows on, one alert is for all of them. */
const MANY_FOLLOWS = 4;

/** One alert on the screen. `count`: how many follows or gifts it stands for. */
export type Shown = { alert: Alert; count: number };

/** Alerts that wait for their turn, in the order in which they happened; each is given out once. */
export class AlertQueue {
  #waiting: Alert[] = [];
  /** As the service last listed them, by id. */
  #listed = new Map<string, Alert>();
  /** The last one that was given out, which may be on the screen. */
  #given: Shown | null = null;
  readonly #memory: Pick<AlertMemory, "isNew" | "note">;
  readonly #now: () => number;

  constructor(memory: Pick<AlertMemory, "isNew" | "note">, now: () => number) {
    this.#memory = memory;
    this.#now = now;
  }

  /**
   * All that the service lists now. What it doesn't list any more, such as a refunded tip, waits no longer, and what has changed, such
   * as a tip whose text moderators have removed, is shown as it is now.
   */
  update(listed: readonly Alert[]): void {
    this.#listed = new Map(listed.map((alert) => [alert.id, alert]));
    const tests = this.#waiting.filter(({ is_test }) => is_test);
    this.#waiting = shortened([...listed.filter((alert) => this.#memory.isNew(alert)), ...tests]);
  }

  /** A test, which the service doesn't list. */
  addTest(alert: Alert): void {
    const isWaiting = this.#waiting.some(({ id }) => id === alert.id);
    if (!isWaiting && this.#memory.isNew(alert)) this.#waiting = shortened([...this.#waiting, alert]);
  }

  /** Whether a text that moderators may remove waits, or may be on the screen. */
  get hasTexts(): boolean {
    const given = this.#given && this.asListed(this.#given);
    const alerts = given ? [given.alert, ...this.#waiting] : this.#waiting;
    return alerts.some(({ message, is_test }) => message != null && !is_test);
  }

  /** The next one; null if none waits. */
  next(): Shown | null {
    this.#given = this.#taken();
    return this.#given;
  }

  #taken(): Shown | null {
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

  /** What is on the screen, as it is now; null once it isn't listed any more. */
  asListed({ alert, count }: Shown): Shown | null {
    const now = alert.is_test ? alert : this.#listed.get(alert.id);
    // One that stands for many goes on without the one that it names.
    if (!now) return count > 1 ? { alert, count } : null;
    return { alert: now, count };
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

function shortened(alerts: readonly Alert[]): Alert[] {
  const follows = alerts.filter(({ kind }) => kind === "follow");
  const others = alerts.filter(({ kind }) => kind !== "follow");
  const leaving = new Set([...follows, ...others].slice(0, Math.max(0, alerts.length - MAX_WAITING)));
  return alerts.filter((alert) => !leaving.has(alert));
}
