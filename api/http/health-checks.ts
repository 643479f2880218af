const HEALTH_CHECKS: ReadonlySet<string> = new Set([
  "getHealth",
  "getLiveness",
  "getServing",
  "getRestServing",
  "getSocketsServing",
]);

/** Operations that probes call every few seconds, and whose 503 is what they are for. */
export const isHealthCheck = (operationId: string | null): boolean => HEALTH_CHECKS.has(operationId ?? "");
