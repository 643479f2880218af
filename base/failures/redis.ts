const UNAVAILABLE =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|Connection is closed|Command timed out|Stream isn't writeable|max retries|^LOADING|^OOM |^MISCONF|^BUSY |^NOREPLICAS|^MASTERDOWN|^READONLY|^TRYAGAIN|^CLUSTERDOWN|^MOVED|^ASK |Cluster isn't ready|Cluster redirections|Cluster is ended|startup nodes is available/i;

/**
 * True when Redis is unreachable or can't serve the command now: out of memory, unable to persist, busy with a script. The
 * outcome of a write may then be unknown.
 */
export function isRedisUnavailable(err: unknown): boolean {
  return err instanceof Error && (UNAVAILABLE.test(err.message) || err.name === "MaxRetriesPerRequestError");
}
