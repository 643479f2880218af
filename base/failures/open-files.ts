/** No descriptor is left to this process, or to the machine. */
const CODES = new Set<unknown>(["EMFILE", "ENFILE"]);
/** Clients wrap the system's error in their own. */
const MAX_CAUSES = 8;

/** True when a file or a connection couldn't be opened because the limit of open files is reached. */
export function isOutOfOpenFiles(err: unknown): boolean {
  let reason = err;
  for (let depth = 0; depth < MAX_CAUSES && reason instanceof Error; depth++) {
    if ("code" in reason && CODES.has(reason.code)) return true;
    reason = reason.cause;
  }
  return false;
}
