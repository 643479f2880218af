import type { Command, Redis } from "ioredis";

const LOOK_EVERY_MS = 50;
/** The message of ioredis for its own deadline. */
const TIMED_OUT = "Command timed out";

const inDoubt = new WeakSet<Redis>();

/** Whether a command on this connection has gone without an answer, and none has come since. */
export const isInDoubt = (redis: Redis): boolean => inDoubt.has(redis);

/**
 * A deadline for every command on a connection, and a circuit breaker while its server hangs: a request with several
 * commands would otherwise wait for the whole deadline each time.
 *
 * 1. A command without an answer after `deadlineMs` fails and opens the circuit. An answer that has
 *    arrived and only waits for this process to read it counts: the process was busy, the server wasn't.
 * 2. While it is open, every command fails without being sent, except our own PING.
 * 3. The first PING that is answered closes it, and so does a lost connection, on which commands fail anyway.
 */
export function failFast(redis: Redis, deadlineMs: number): void {
  const send = redis.sendCommand.bind(redis);
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    const answer = redis.ping();
    isLooking = false;
    try {
      await answer;
      inDoubt.delete(redis);
    } catch {
      // Still hanging, or lost: the connection's state shows which.
      if (redis.status === "ready") setTimeout(() => void look(), LOOK_EVERY_MS).unref();
      else inDoubt.delete(redis);
    }
  }

  function giveUp(command: Command): void {
    command.reject(new Error(TIMED_OUT));
    if (inDoubt.has(redis)) return;
    inDoubt.add(redis);
    void look();
  }

  redis.sendCommand = (command: Command, stream?: Parameters<typeof send>[1]): unknown => {
    if (inDoubt.has(redis) && !isLooking && redis.status === "ready") {
      command.reject(new Error(TIMED_OUT));
      return command.promise;
    }
    // Timers run before what has arrived is read, immediates after it.
    let late: NodeJS.Immediate | undefined;
    const deadline = setTimeout(() => {
      late = setImmediate(() => giveUp(command));
    }, deadlineMs);
    const settled = () => {
      clearTimeout(deadline);
      clearImmediate(late);
    };
    command.promise.then(settled, settled);
    return send(command, stream);
  };
}
