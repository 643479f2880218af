import { isPortFree } from "../../development/stores/ports.ts";
import type { Settings } from "../config/config.ts";
import { StartError } from "../process/start-error.ts";

/**
 * Throws a StartError unless all our ports are free, each on the address where it will be bound. Bound exclusively and before
 * anything starts, since realtime workers share their port: one on a taken port would listen without an error.
 */
export async function requireFreePorts({ http, realtime, metrics }: Settings): Promise<void> {
  const ports = [
    { variable: "PORT", ...http },
    { variable: "REALTIME_PORT", ...realtime },
    { variable: "METRICS_PORT", ...metrics },
  ];
  const taken: string[] = [];
  for (const { variable, port, host } of ports) {
    if (!(await isFree(port, host))) taken.push(`${port} (${variable})`);
  }
  if (taken.length === 0) return;
  throw new StartError(
    taken.length === 1
      ? `Port ${taken[0]} is in use by another program or may not be bound. Stop that program, or set the variable to another port.`
      : `The ports ${taken.join(", ")} are in use by other programs or may not be bound. Stop them, or set the variables to other ports.`,
  );
}

async function isFree(port: number, host: string | null): Promise<boolean> {
  try {
    return await isPortFree(port, host ?? undefined);
  } catch (err) {
    if (!(err instanceof Error && "code" in err && err.code === "EADDRNOTAVAIL")) throw err;
    throw new StartError(
      `${host} isn't an address of this machine. Correct HOST or METRICS_HOST: 0.0.0.0 takes in all of IPv4.`,
      { cause: err },
    );
  }
}
