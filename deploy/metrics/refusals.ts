import { Counter, type Registry } from "prom-client";

/**
 * Where something was refused: by an answer of REST, at a socket (its upgrade, a command, its end), or by a room,
 * which counts a message once more, by REST or socket alike.
 */
type Door = "rest" | "socket" | "admission";

/** `operation` and `code` come from lists of the contract, so that there are few of them. */
export type CountRefusal = (door: Door, operation: string, code: string) => void;

export function refusalCounter(registry: Registry): CountRefusal {
  const refusals = new Counter({
    name: "livecore_refusals_total",
    help: "Refusals by door, operation (REST) or path or command (sockets), and error code.",
    labelNames: ["door", "operation", "code"],
    registers: [registry],
  });
  return (door, operation, code) => refusals.inc({ door, operation, code });
}
