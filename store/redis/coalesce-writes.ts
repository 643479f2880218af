import type { Command, Redis } from "ioredis";

/**
 * Sends the commands of one turn of the event loop with one write: the server wakes up once for them, and replies to all
 * together. A single command leaves in the same turn as well.
 */
export function coalesceWrites(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  let isJoining = false;

  redis.sendCommand = (command: Command, stream?: Parameters<typeof send>[1]): unknown => {
    const { stream: socket } = redis;
    // There is no socket before the first connection.
    if (!isJoining && socket) {
      isJoining = true;
      socket.cork();
      // After the promises that settle in this turn, which send most of the commands that can be coalesced.
      process.nextTick(() => {
        isJoining = false;
        socket.uncork();
      });
    }
    return send(command, stream);
  };
}
