import type { Settings } from "../config/config.ts";
import { isPortFree } from "../services/ports.ts";
import { StartError } from "../start-error.ts";

/**
 * Throws a StartError unless all our ports are free. Asked exclusively and before anything starts, since realtime
 * workers share their port among themselves: one on a taken port would listen without an error.
 */
export async function requireFreePorts({ http, realtime, metrics }: Settings): Promise<void> {
  const ports = [
    { variable: "PORT", port: http.port },
    { variable: "REALTIME_PORT", port: realtime.port },
    { variable: "METRICS_PORT", port: metrics.port },
  ];
  const taken: string[] = [];
  for (const { variable, port } of ports) {
    if (!(await isPortFree(port))) taken.push(`${port} (${variable})`);
  }
  if (taken.length === 0) return;
  throw new StartError(
    taken.length === 1
      ? `Port ${taken[0]} is in use by another program or may not be bound. Stop that program, or set the variable to another port.`
      : `The ports ${taken.join(", ")} are in use by other programs or may not be bound. Stop them, or set the variables to other ports.`,
  );
}
