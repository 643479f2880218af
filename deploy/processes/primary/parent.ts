import type { Environment } from "../config/environment.ts";
import { ENDS_WITH_PARENT_VARIABLE, watchParent } from "../process/parent-watch.mjs";

/**
 * Calls `stop` when a parent with whom this process ends has gone, and `goOn` when npm has. npm passes on what stops it (SIGINT,
 * SIGTERM); another signal, such as a SIGUSR2 that was meant for the service, ends npm alone. Returns a function that stops watching.
 */
export function onParentGone(env: Environment, on: { stop: () => void; goOn: () => void }): () => void {
  if (env[ENDS_WITH_PARENT_VARIABLE]) return watchParent(on.stop);
  return env.npm_lifecycle_event ? watchParent(on.goOn) : () => undefined;
}
