import { setTimeout as pause } from "node:timers/promises";
import { Overloaded } from "../../../base/controlled-delay.ts";

const TRIES = 5;
const RETRY_MS = 1_000;

/**
 * Comes back when a request was refused as too many, as clients do: the service has begun nothing of it. On a machine with other
 * specs that happens to crowds that it serves otherwise.
 */
export async function againWhenOverloaded<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await request();
    } catch (err) {
      if (!(err instanceof Overloaded) || tries === TRIES) throw err;
      await pause(RETRY_MS);
    }
  }
}
