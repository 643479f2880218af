import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Log } from "../../base/log.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { addressOf, anyNode, openBlockingReader, type RedisConnection } from "../../store/redis/nodes.ts";

/** Interval of pings; a subscriber sends nothing else, so a dead connection would go unnoticed. */
const PING_MS = 2_000;
const ANSWERS_WITHIN_MS = 2_000;
const RETRY_MS = 250;

/**
 * One pub/sub channel of JSON messages to all processes. Delivery is at most once: what is published while a subscriber is
 * disconnected is lost, so only messages with a second path (a feed, a later value) are sent here. The subscriber's connection
 * is opened with the first handler and closed by `close`; in a cluster it may be to any node, and to another one after a loss.
 */
export function createPubSub<Message>(deps: {
  redis: RedisConnection;
  channel: string;
  read: (value: unknown) => Message | null;
  log: Log;
}) {
  const { redis, channel, read, log } = deps;
  const handlers = new Set<(message: Message) => void>();
  const resumers = new Set<() => void>();
  const closing = new AbortController();
  let subscriber: Redis | null = null;
  let listening: Promise<void> | null = null;
  /** The node that was tried last, to try another one next: a node that hangs still accepts connections. */
  let triedAt: string | null = null;

  function receive(_channel: string, text: string): void {
    const message = read(parse(text));
    if (message === null) {
      log.warn({ channel }, "a pub/sub message of another form was dropped");
      return;
    }
    for (const handler of handlers) handler(message);
  }

  function resume(): void {
    for (const resumed of resumers) resumed();
  }

  /** Retries until it is subscribed, then resolves; starts again whenever its connection has ended. */
  async function listen(): Promise<void> {
    while (!closing.signal.aborted) {
      const reader = await subscribed();
      if (reader) {
        reader.once("end", () => {
          if (!closing.signal.aborted) listening = listen();
        });
        return;
      }
      await pause(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined); // closed meanwhile
    }
  }

  async function subscribed(): Promise<Redis | null> {
    let reader: Redis | null = null;
    try {
      // With a timeout from the first command on: otherwise a node that hangs would never be given up.
      reader = openBlockingReader(redis, null, { silentMs: ANSWERS_WITHIN_MS, unlike: triedAt });
      triedAt = addressOf(reader);
      subscriber = reader;
      reader.on("error", (err) => log.debug({ err, channel }, "pub/sub connection failed"));
      reader.on("message", receive);
      await reader.subscribe(channel);
      watch(reader);
      resume();
      return reader;
    } catch (err) {
      log.debug({ err, channel }, "subscribing failed; trying again");
      reader?.disconnect();
      return null;
    }
  }

  /** With a single server ioredis reconnects and resubscribes by itself; a connection that hangs has to be dropped first. */
  function watch(reader: Redis): void {
    let isPinging = false;
    // ioredis has resubscribed by now; subscribing again gives a reply that proves it.
    reader.on("ready", () => {
      reader
        .subscribe(channel)
        .then(resume)
        .catch((err: unknown) => log.debug({ err, channel }, "a subscriber was lost again"));
    });
    const timer = setInterval(async () => {
      if (isPinging || reader.status !== "ready") return;
      isPinging = true;
      const late = setTimeout(() => reader.disconnect(true), ANSWERS_WITHIN_MS);
      // A failed ping means a lost connection, which ioredis repairs, or which ends with "end".
      await reader.ping().catch((err: unknown) => log.debug({ err, channel }, "a subscriber was lost"));
      clearTimeout(late);
      isPinging = false;
    }, PING_MS);
    timer.unref();
    reader.once("end", () => clearInterval(timer));
  }

  return {
    /** Resolves with the number of processes that received it; in a cluster only those at one node. Throws unavailable. */
    publish: (message: Message): Promise<number> =>
      onRedis(() => anyNode(redis).publish(channel, JSON.stringify(message))),
    /**
     * Returns a function that unsubscribes. Waits while Redis is unavailable. `resumed` is called whenever the channel is
     * subscribed (again): messages may have been missed.
     */
    async subscribe(
      handler: (message: Message) => void,
      resumed: () => void = () => undefined,
    ): Promise<() => void> {
      handlers.add(handler);
      resumers.add(resumed);
      listening ??= listen();
      await listening;
      return () => {
        handlers.delete(handler);
        resumers.delete(resumed);
      };
    },
    async close(): Promise<void> {
      closing.abort();
      handlers.clear();
      resumers.clear();
      subscriber?.disconnect();
      await listening;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
}
