import type { Redis } from "ioredis";
import type { Log } from "../../store/log.ts";
import { onRedis } from "../../store/redis/connect.ts";

/**
 * One pub/sub channel of JSON messages to all processes. What is published while a subscriber is away is lost to
 * it, so only what has a second way (a feed, a later value) travels here. The subscriber's connection is opened
 * with the first handler and closed by `close`.
 */
export function createPubSub<Message>(deps: {
  redis: Redis;
  channel: string;
  read: (value: unknown) => Message | null;
  log: Log;
}) {
  const { redis, channel, read, log } = deps;
  const handlers = new Set<(message: Message) => void>();
  let reader: Promise<Redis> | null = null;

  function receive(_channel: string, text: string): void {
    const message = read(parse(text));
    if (message === null) {
      log.warn({ channel }, "a pub/sub message of another form was dropped");
      return;
    }
    for (const handler of handlers) handler(message);
  }

  async function open(): Promise<Redis> {
    const subscriber = readerLike(redis);
    subscriber.on("error", (err) => log.debug({ err, channel }, "pub/sub connection failed"));
    subscriber.on("message", receive);
    // Ends in an error only when closed; while Redis is away it waits, and ioredis subscribes again by itself.
    await subscriber.subscribe(channel);
    return subscriber;
  }

  return {
    /** Resolves with the number of processes that were listening. Throws unavailable. */
    publish: (message: Message): Promise<number> =>
      onRedis(() => redis.publish(channel, JSON.stringify(message))),
    /** Returns how to stop. */
    async subscribe(handler: (message: Message) => void): Promise<() => void> {
      handlers.add(handler);
      reader ??= open();
      await reader;
      return () => void handlers.delete(handler);
    },
    async close(): Promise<void> {
      handlers.clear();
      const opened = reader;
      reader = null;
      if (opened) (await opened).disconnect();
    },
  };
}

/** A connection of its own to the same server, for one reader that waits through an absence. */
export function readerLike(redis: Redis): Redis {
  return redis.duplicate({
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
    lazyConnect: true,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
}
