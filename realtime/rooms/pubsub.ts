import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Log } from "../../store/log.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { addressOf, anyNode, type RedisConnection, readerOf } from "../../store/redis/nodes.ts";

/** A subscriber sends nothing by itself, so it is pinged. */
const PING_MS = 2_000;
const ANSWERS_WITHIN_MS = 2_000;
const RETRY_MS = 250;

/**
 * One pub/sub channel of JSON messages to all processes. What is published while a subscriber is away is lost to
 * it, so only what has a second way (a feed, a later value) travels here. The subscriber's connection is opened
 * with the first handler and closed by `close`; in a cluster it may be to any node, and to another one after a loss.
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
  /** The node that was tried last: one that hangs accepts connections all the same. */
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

  /** Resolves once it is subscribed; until then it tries again, and afterwards again whenever its connection has ended. */
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
      // From the first command on: one that hangs would otherwise never be given up.
      reader = readerOf(redis, null, { silentMs: ANSWERS_WITHIN_MS, unlike: triedAt });
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

  /** To a single server it connects and subscribes again by itself; one that hangs has to be given up first. */
  function watch(reader: Redis): void {
    let isPinging = false;
    // By now it has asked for its channels; a second time, so that the answer says that it hears them.
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
      // It fails when the connection is lost, which ioredis repairs, or ends with "end".
      await reader.ping().catch((err: unknown) => log.debug({ err, channel }, "a subscriber was lost"));
      clearTimeout(late);
      isPinging = false;
    }, PING_MS);
    timer.unref();
    reader.once("end", () => clearInterval(timer));
  }

  return {
    /** Resolves with the number of processes that were listening, in a cluster at one of its nodes. Throws unavailable. */
    publish: (message: Message): Promise<number> =>
      onRedis(() => anyNode(redis).publish(channel, JSON.stringify(message))),
    /**
     * Returns how to stop. Waits while Redis is unavailable. `resumed` is called whenever it hears the channel again:
     * something may have been missed.
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
