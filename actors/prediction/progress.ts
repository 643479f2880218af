import type { Prediction } from "../../specs/contract/wire.ts";
import type { PredictionDoc } from "../../store/mongo/predictions.ts";
import { predictionView } from "./view.ts";

const PERIOD_MS = 500;

export type OnProgress = (streamId: string, prediction: Prediction) => void;

/**
 * Reports how the pools stand, at most every 500 ms a prediction and process: the first change at once, later ones
 * gathered, the last never left out. Holds an entry for each prediction that had a bet within the period.
 */
export class ProgressReports {
  readonly #onProgress: OnProgress;
  readonly #pending = new Map<string, { timer: NodeJS.Timeout; latest: PredictionDoc | null }>();

  constructor(onProgress: OnProgress) {
    this.#onProgress = onProgress;
  }

  report(doc: PredictionDoc): void {
    const pending = this.#pending.get(doc._id);
    if (pending) {
      pending.latest = doc;
      return;
    }
    this.#publish(doc);
  }

  stop(): void {
    for (const { timer } of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
  }

  #publish(doc: PredictionDoc): void {
    const timer = setTimeout(() => this.#periodOver(doc._id), PERIOD_MS).unref();
    this.#pending.set(doc._id, { timer, latest: null });
    this.#onProgress(doc.streamId, predictionView(doc));
  }

  #periodOver(id: string): void {
    const latest = this.#pending.get(id)?.latest;
    this.#pending.delete(id);
    if (latest) this.#publish(latest);
  }
}
