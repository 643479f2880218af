import type { Command, Redis } from "ioredis";

const LOOK_EVERY_MS = 50;
/** The words of ioredis for its own deadline. */
const TIMED_OUT = "Command timed out";

const inDoubt = new WeakSet<Redis>();

/** Whether a command on this connection has gone without an answer, and none has come since. */
export const isInDoubt = (redis: Redis): boolean => inDoubt.has(redis);

/**
 * Gives every command on a connection a deadline, and makes it refuse at once while its server hangs: a request that
 * asks several times would otherwise wait for the whole deadline each time.
 *
 * 1. A command without an answer after `deadlineMs` fails and puts the connection in doubt. An answer that has
 *    arrived and only waits for this process to read it counts: the process was busy, the server wasn't.
 * 2. In doubt, every command fails without being sent, save our own PING.
 * 3. The first PING that is answered ends the doubt, and so does a lost connection, which refuses by itself.
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
      // Still hanging, or lost; the state of the connection tells which.
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
