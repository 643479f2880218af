import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { onRedis } from "../connect.ts";
import type { RedisConnection } from "../nodes.ts";

type Script = (redis: RedisConnection, keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/**
 * A Lua script next to its caller. Sent by hash; with its text when the server doesn't know it yet.
 * An outage of Redis becomes ServiceError `unavailable`: whether the script ran is then unknown.
 */
export function scriptAt(url: URL): Script {
  const text = readFileSync(url, "utf8");
  const hash = createHash("sha1").update(text).digest("hex");
  return (redis, keys, args) =>
    onRedis(async () => {
      try {
        return await redis.evalsha(hash, keys.length, ...keys, ...args);
      } catch (err) {
        if (!(err instanceof Error) || !err.message.startsWith("NOSCRIPT")) throw err;
        return redis.eval(text, keys.length, ...keys, ...args);
      }
    });
}

/** A script's reply as strings; throws if it isn't a list, which is a bug of the script. */
export function fieldsOf(reply: unknown): string[] {
  if (!Array.isArray(reply)) throw new Error("A script answered something else than a list.");
  return reply.map((field: unknown) => String(field));
}
