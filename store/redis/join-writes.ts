import type { Command, Redis } from "ioredis";

/**
 * Lets the commands of one turn of the event loop leave with one write: the server wakes once for them, and answers
 * them together. A command that comes alone leaves in the same turn as well.
 */
export function joinWrites(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  let isJoining = false;

  redis.sendCommand = (command: Command, stream?: Parameters<typeof send>[1]): unknown => {
    const { stream: socket } = redis;
    // There is none before the first connection.
    if (!isJoining && socket) {
      isJoining = true;
      socket.cork();
      // After the promises that are settled in this turn, which send most of what can go together.
      process.nextTick(() => {
        isJoining = false;
        socket.uncork();
      });
    }
    return send(command, stream);
  };
}
