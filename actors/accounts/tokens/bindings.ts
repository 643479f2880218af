import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKeys, type MasterKey } from "../../keys/sealing.ts";

/**
 * The binding of a session to its browser (decision 104): the value of a cookie that no other host can set. An HMAC over the
 * session's id, so that each refresh can issue it again, and any token that names the session can be compared with it.
 */
export function createBindings(masterKey: MasterKey) {
  const keys = deriveKeys(masterKey, "bindings");
  const variants = (sessionId: string): string[] =>
    keys.map((key) => createHmac("sha256", key).update(sessionId).digest("base64url"));

  return {
    /** Never log it. */
    of: (sessionId: string): string => variants(sessionId)[0] ?? "",
    /** Also under an older MASTER_KEY that is still configured. */
    fits(sessionId: string, presented: string): boolean {
      const given = Buffer.from(presented);
      return variants(sessionId)
        .map((one) => Buffer.from(one))
        .some((one) => one.length === given.length && timingSafeEqual(one, given));
    },
  };
}

export type Bindings = ReturnType<typeof createBindings>;
