import type { RedisConnection } from "../nodes.ts";
import { fieldsOf, scriptAt } from "./script.ts";

const script = scriptAt(new URL("./spend.lua", import.meta.url));

/** Adds to a counter that expires with its window; 0 only reads. Throws unavailable. */
export async function spend(
  redis: RedisConnection,
  key: string,
  { amount, windowMs }: { amount: number; windowMs: number },
): Promise<{ spent: number; leftMs: number }> {
  const [spent, leftMs] = fieldsOf(await script(redis, [key], [String(amount), String(windowMs)]));
  return { spent: Number(spent), leftMs: Number(leftMs) };
}
