import type { Command, Redis } from "ioredis";
import { PEER_DEADLINES_MS } from "../../base/peer-deadlines.ts";

const PING_INTERVAL_MS = 50;
/** ioredis' message for its own command timeout. */
const TIMED_OUT = "Command timed out";

const inDoubt = new WeakSet<Redis>();

/** Whether a command on this connection has timed out, and no reply has come since (circuit open). */
export const isCircuitOpen = (redis: Redis): boolean => inDoubt.has(redis);

/** Since when nothing was received, and how much before. */
type Silence = { since: number; bytesRead: number };

const silenceOf = ({ stream }: Redis): Silence => ({
  since: performance.now(),
  bytesRead: stream.bytesRead,
});

/**
 * A timeout for every command on a connection, and a circuit breaker while its server hangs: a request with several
 * commands would otherwise wait for the whole timeout each time.
 *
 * 1. A command without a reply after `deadlineMs` fails and opens the circuit. A reply that has
 *    arrived but wasn't read by this process yet counts as in time: the process was busy, the server wasn't.
 * 2. While the circuit is open, every command fails without being sent, except our own PING.
 * 3. The first PING with a reply closes it, and so does a lost connection, on which commands fail anyway.
 * 4. Without a byte for PEER_DEADLINES_MS.redisSilence the connection is lost: it may lead nowhere any more (a host that is gone,
 *    a firewall that forgot it), which TCP finds out after a quarter of an hour. ioredis opens another one.
 */
export function failFast(redis: Redis, deadlineMs: number): void {
  const send = redis.sendCommand.bind(redis);
  let isPinging = false;

  async function probe(silence: Silence): Promise<void> {
    isPinging = true;
    const answer = redis.ping();
    isPinging = false;
    try {
      await answer;
      inDoubt.delete(redis);
    } catch {
      // Still hanging, or lost: the connection's status says which.
      if (redis.status !== "ready") inDoubt.delete(redis);
      else probeAgain(silence);
    }
  }

  function probeAgain(silence: Silence): void {
    // A reply that comes late is one: the server is slow, and another connection wouldn't help.
    const isSilent = redis.stream.bytesRead === silence.bytesRead;
    const next = isSilent ? silence : silenceOf(redis);
    if (performance.now() - next.since >= PEER_DEADLINES_MS.redisSilence) lose();
    else setTimeout(() => void probe(next), PING_INTERVAL_MS).unref();
  }

  /** Not `disconnect`, which first waits for the server to say goodbye. Each command on it is rejected. */
  function lose(): void {
    redis.stream.once("close", () => inDoubt.delete(redis));
    redis.stream.destroy(new Error(`nothing received in ${PEER_DEADLINES_MS.redisSilence} ms`));
  }

  function giveUp(command: Command): void {
    command.reject(new Error(TIMED_OUT));
    if (inDoubt.has(redis)) return;
    inDoubt.add(redis);
    void probe(silenceOf(redis));
  }

  redis.sendCommand = (command: Command, stream?: Parameters<typeof send>[1]): unknown => {
    if (inDoubt.has(redis) && !isPinging && redis.status === "ready") {
      command.reject(new Error(TIMED_OUT));
      return command.promise;
    }
    // In an iteration of the event loop timers run before I/O is read, immediates after it.
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
