import type { DataOf } from "../../contract/wire.ts";

const PERIOD_MS = 500;

type ProgressType = "prediction.progress" | "chat.poll_progress";
type ProgressEvent = { [Type in ProgressType]: { type: Type; data: DataOf<Type> } }[ProgressType];

/** Publishes the current counts to a room; not durable. */
export type OnProgress = (streamId: string, event: ProgressEvent) => void;

type Reported = { _id: string; isOpen: boolean };

/**
 * Publishes progress, throttled to once per 500 ms, actor and process: the first change at once, then the newest stored
 * document at the end of each period, including the first period without a change. The stored document includes what other
 * workers counted, so whichever report comes last is complete. Closed documents aren't reported. Holds an entry for each
 * actor that changed within the period.
 */
export class ProgressReports<Doc extends Reported> {
  readonly #show: (doc: Doc) => void;
  readonly #newest: (id: string) => Promise<Doc | null>;
  readonly #pending = new Map<string, { timer: NodeJS.Timeout; latest: Doc; changed: boolean }>();

  constructor(deps: { show: (doc: Doc) => void; newest: (id: string) => Promise<Doc | null> }) {
    this.#show = deps.show;
    this.#newest = deps.newest;
  }

  report(doc: Doc): void {
    const pending = this.#pending.get(doc._id);
    if (pending) {
      Object.assign(pending, { latest: doc, changed: true });
      return;
    }
    this.#wait(doc);
    this.#show(doc);
  }

  stop(): void {
    for (const { timer } of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
  }

  #wait(latest: Doc): void {
    const timer = setTimeout(() => void this.#periodOver(latest._id), PERIOD_MS).unref();
    this.#pending.set(latest._id, { timer, latest, changed: false });
  }

  async #periodOver(id: string): Promise<void> {
    const period = this.#pending.get(id);
    if (!period) return;
    // While the store is unavailable, report what this worker knows.
    const newest = await this.#newest(id).catch(() => period.latest);
    if (this.#pending.get(id) !== period) return;
    this.#pending.delete(id);
    if (!newest?.isOpen) return;
    if (period.changed) this.#wait(newest);
    this.#show(newest);
  }
}
