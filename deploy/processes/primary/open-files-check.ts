import type { Log } from "../../../base/log.ts";
import type { Settings } from "../config/config.ts";
import { MIN_OPEN_FILES, openFilesBudget, openFilesLimit } from "../process/open-files.ts";
import { StartError } from "../process/start-error.ts";
import { DESCRIPTORS_PER_SPLICE, MAX_SPLICED } from "../upgrade-splice/limits.ts";

/**
 * Throws a StartError when workers couldn't even open what they need themselves. In production, warns when the limit of open files
 * allows fewer sockets than a worker would accept. Workers inherit the limit.
 */
export function checkOpenFiles({ env }: Pick<Settings, "env">, log: Log, limit = openFilesLimit()): void {
  if (limit < MIN_OPEN_FILES) {
    throw new StartError(
      `A process may have only ${limit} open files here, and livecore's need ${MIN_OPEN_FILES} at least. Raise the limit: ulimit -n, LimitNOFILE in systemd, or nofile in a container.`,
    );
  }
  const { sockets } = openFilesBudget(limit);
  const perApiWorker = Math.floor(sockets / DESCRIPTORS_PER_SPLICE);
  if (env !== "production" || perApiWorker >= MAX_SPLICED) return;
  log.warn(
    { limit, socketsPerApiWorker: perApiWorker, socketsPerRealtimeWorker: sockets },
    "open files limited: fewer sockets accepted",
  );
}
