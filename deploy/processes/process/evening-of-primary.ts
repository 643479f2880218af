import { EventEmitter, once } from "node:events";
import type { EveningControl, EveningState } from "../../../api/discovery/site/development.ts";
import { deadlineSignal } from "../../../base/deadline-signal.ts";

/** How long the primary may take to say that it starts it. */
const WITHIN_MS = 5_000;

/** The primary's demo evening, as a worker starts it and knows of it. `ask` tells the primary to start it. */
export function eveningOfPrimary(ask: () => void) {
  const changes = new EventEmitter().setMaxListeners(0);
  let state: EveningState = { status: "off" };
  const control: EveningControl = {
    state: () => state,
    async start() {
      if (state.status === "live" || state.status === "starting") return state;
      ask();
      const signal = deadlineSignal(WITHIN_MS);
      try {
        await once(changes, "change", { signal });
      } catch (err) {
        if (!signal.aborted) throw err;
      }
      return state;
    },
  };
  return {
    control,
    receive(next: EveningState): void {
      state = next;
      changes.emit("change");
    },
  };
}
