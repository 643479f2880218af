import { createHmac } from "node:crypto";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimit } from "../../contract/errors.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { MailTemplate } from "./texts.ts";

/** Mails of one template to one address; where `by` is given, per requester. */
const MAILS = 5;
/** Mails of one template to one address from all requesters together. */
const MAILS_OF_ALL_REQUESTERS = 20;
const HOUR_SECONDS = 3_600;
/** What refuses a mail to an address; how many the address has had from others isn't shown. */
export const MAILS_TO_ADDRESS: RateLimit = {
  bucket: "mails_to_address",
  limit: MAILS,
  windowSeconds: HOUR_SECONDS,
};
/**
 * The lifetime of a link to reset a password, and the window of the rate limit of its mails. So an owner who reached the limit
 * still has a valid link, and a stranger who requests resets for that address can't lock the owner out.
 */
export const RESET_SECONDS = 1_800;
/** How many mails each process allows on its own while Redis is unavailable. */
const POINTS_WITHOUT_REDIS = 2;

/** Rate limits per recipient, so that nobody can make us flood a mailbox. Addresses are stored as an HMAC under `key`. */
export function createRecipientLimit(redis: RedisConnection, key: Buffer) {
  function limitOf(keyPrefix: string, points: number, duration = HOUR_SECONDS) {
    const limiter = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix, points: POINTS_WITHOUT_REDIS, duration }),
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

  const [one, ofAll] = [limitOf("lc:mails", MAILS), limitOf("lc:mails:all", MAILS_OF_ALL_REQUESTERS)];
  const reset = limitOf("lc:mails:reset", MAILS, RESET_SECONDS);

  /** Takes one; false when none is left for now. `by`: the requester, where several may request mails to the same address. */
  return async function take(template: MailTemplate, to: string, by?: string): Promise<boolean> {
    const what = `${template}:${to.toLowerCase()}`;
    if (by !== undefined) return (await one(`${what}:${by}`)) && ofAll(what);
    return (template === "reset_password" ? reset : one)(what);
  };
}
