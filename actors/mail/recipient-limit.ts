import { createHmac } from "node:crypto";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { MailTemplate } from "./texts.ts";

/** Of one template to one address; where they are counted by who asks, of each of those. */
const MAILS = 5;
/** Of those of one template to one address, whoever asks. */
const MAILS_OF_ALL = 20;
const HOUR_SECONDS = 3_600;
/**
 * How long a link to choose a password is good, and the time in which its mails are counted: who had too many of them still has one
 * that is good, so that a stranger who asks in the owner's place holds up nobody.
 */
export const RESET_SECONDS = 1_800;
/** What one process lets pass by itself while Redis is unavailable. */
const ALONE = 2;

/** So that nobody can have us fill somebody's mailbox. Addresses are counted by a hash under `key`. */
export function createRecipientLimit(redis: RedisConnection, key: Buffer) {
  function limitOf(keyPrefix: string, points: number, duration = HOUR_SECONDS) {
    const limiter = new RateLimiterRedis({
      ...{ storeClient: redis, keyPrefix, points, duration },
      insuranceLimiter: new RateLimiterMemory({ keyPrefix, points: ALONE, duration }),
    });
    return async (what: string): Promise<boolean> => {
      try {
        await limiter.consume(createHmac("sha256", key).update(what).digest("base64url"));
        return true;
      } catch (used) {
        if (used instanceof RateLimiterRes) return false;
        throw used;
      }
    };
  }

  const [one, ofAll] = [limitOf("lc:mails", MAILS), limitOf("lc:mails:all", MAILS_OF_ALL)];
  const reset = limitOf("lc:mails:reset", MAILS, RESET_SECONDS);

  /** Takes one; false when there is none left for now. `by`: who asks, where others may ask for the same address. */
  return async function take(template: MailTemplate, to: string, by?: string): Promise<boolean> {
    const what = `${template}:${to.toLowerCase()}`;
    if (by !== undefined) return (await one(`${what}:${by}`)) && ofAll(what);
    return (template === "reset_password" ? reset : one)(what);
  };
}
