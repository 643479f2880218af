import { writeSync } from "node:fs";
import type { Command, Redis } from "ioredis";
import type { CommandStartedEvent, MongoClient } from "mongodb";

/** A point at which a process can die: what was about to happen or had just happened, and its n-th occurrence. */
export type Point = { label: string; nth: number };

/**
 * Finds every point of a unit of work at which its process can die, from outside: all waits are for a store. Before a command is
 * sent, the server doesn't know of it; when its answer arrives, the server has done it and our code doesn't know yet. `dieAt`
 * ends the process right there, with the label on stderr.
 */
export class Points {
  readonly passed: Point[] = [];
  readonly #counts = new Map<string, number>();
  readonly #dieAt: Point | null;
  /** The current phase; null: no points are recorded. */
  phase: string | null = null;

  constructor(dieAt: Point | null) {
    this.#dieAt = dieAt;
  }

  reached(what: string): void {
    if (this.phase === null) return;
    const label = `${this.phase}: ${what}`;
    const nth = (this.#counts.get(label) ?? 0) + 1;
    this.#counts.set(label, nth);
    this.passed.push({ label, nth });
    if (this.#dieAt?.label !== label || this.#dieAt.nth !== nth) return;
    writeSync(2, `died at ${label} #${nth}\n`);
    process.kill(process.pid, "SIGKILL");
  }
}

/** The client needs `monitorCommands`. */
export function tapMongo(client: MongoClient, points: Points): void {
  const names = new Map<number, string>();
  client.on("commandStarted", (event) => {
    const name = nameOf(event);
    names.set(event.requestId, name);
    points.reached(`before ${name}`);
  });
  const over = (how: string) => (event: { requestId: number }) => {
    points.reached(`${how} ${names.get(event.requestId)}`);
    names.delete(event.requestId);
  };
  client.on("commandSucceeded", over("after"));
  client.on("commandFailed", over("after the failure of"));
}

function nameOf({ commandName, command }: CommandStartedEvent): string {
  const target: unknown = command[commandName];
  return typeof target === "string" ? `${commandName} ${target}` : commandName;
}

export function tapRedis(redis: Redis, points: Points): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command: Command, ...rest) => {
    const name = `${command.name} ${kindOf(command)}`;
    points.reached(`before ${name}`);
    const reply = send(command, ...rest);
    // The first listener of the command, so this runs before our code gets the answer.
    command.promise.then(
      () => points.reached(`after ${name}`),
      () => points.reached(`after the failure of ${name}`),
    );
    return reply;
  };
}

/** The key without its variable parts; in the arguments of a script, the key comes after its hash and the number of keys. */
function kindOf(command: Command): string {
  const key = String(command.args[command.name.startsWith("eval") ? 2 : 0] ?? "");
  return key.includes(":turn:") ? "turn" : (key.split(":").at(-1) ?? "");
}
