import type { DataOf } from "../../specs/contract/wire.ts";

const PERIOD_MS = 500;

type ProgressType = "prediction.progress" | "chat.poll_progress";
type ProgressEvent = { [Type in ProgressType]: { type: Type; data: DataOf<Type> } }[ProgressType];

/** Shows a room how something stands; not durable. */
export type OnProgress = (streamId: string, event: ProgressEvent) => void;

type Standing = { _id: string; isOpen: boolean };

/**
 * Shows how something stands, at most every 500 ms an actor and process: the first change at once, and after each period
 * the newest that is stored, once more than there were changes. What other workers counted is in that, so that whichever
 * is heard last has all of it. Nothing is shown of what is over. Holds an entry for each actor that changed within the period.
 */
export class ProgressReports<Doc extends Standing> {
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
    // While the store is away this worker shows what it knows.
    const newest = await this.#newest(id).catch(() => period.latest);
    if (this.#pending.get(id) !== period) return;
    this.#pending.delete(id);
    if (!newest?.isOpen) return;
    if (period.changed) this.#wait(newest);
    this.#show(newest);
  }
}
