import { createHmac } from "node:crypto";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { MailTemplate } from "./texts.ts";

/** Of one template to one address, whoever causes them. */
const MAILS_AN_HOUR = 5;
const HOUR_SECONDS = 3_600;
/** What one process lets pass by itself while Redis is unavailable. */
const ALONE = 2;

/** So that nobody can have us fill somebody's mailbox. Addresses are counted by a hash under `key`. */
export function createRecipientLimit(redis: RedisConnection, key: Buffer) {
  const keyPrefix = "lc:mails";
  const limiter = new RateLimiterRedis({
    ...{ storeClient: redis, keyPrefix, points: MAILS_AN_HOUR, duration: HOUR_SECONDS },
    insuranceLimiter: new RateLimiterMemory({ keyPrefix, points: ALONE, duration: HOUR_SECONDS }),
  });

  /** Takes one; false when there is none left this hour. */
  return async function take(template: MailTemplate, to: string): Promise<boolean> {
    const id = createHmac("sha256", key).update(`${template}:${to.toLowerCase()}`).digest("base64url");
    try {
      await limiter.consume(id);
      return true;
    } catch (used) {
      if (used instanceof RateLimiterRes) return false;
      throw used;
    }
  };
}
