import { EventEmitter, once } from "node:events";
import type { EveningControl, EveningState } from "../../../api/discovery/pages/development-part.ts";
import { deadlineSignal } from "../../../base/deadline-signal.ts";

/** Registering its accounts and going live takes some seconds, after a crash half a minute more. */
const WITHIN_MS = 60_000;

/** The primary's demo evening, as a worker starts it and knows of it. `ask` tells the primary to start it. */
export function eveningOfPrimary(ask: () => void) {
  const changes = new EventEmitter().setMaxListeners(0);
  let state: EveningState = { status: "off" };
  const control: EveningControl = {
    state: () => state,
    async start() {
      if (state.status === "live") return state;
      ask();
      const signal = deadlineSignal(WITHIN_MS);
      try {
        do await once(changes, "change", { signal });
        while (state.status === "starting");
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
