import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isUuid } from "../../../base/ids.ts";
import { deriveKeys, type MasterKey } from "../../keys/sealing.ts";

const PREFIX = "lc_rt_";
const ID_BYTES = 16;
const GENERATION_BYTES = 4;
const MAC_BYTES = 32;

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Refresh tokens: opaque to clients, 256 secret bits each. Token n of a family is an HMAC over (family, n), so
 * that a client which never got the answer to its refresh can be given the same successor again, although only
 * hashes are stored. The family and n precede the HMAC, so that an old token still identifies its family.
 */
export function createRefreshTokens(masterKey: MasterKey) {
  const keys = deriveKeys(masterKey, "refresh-tokens");

  const macOf = (head: Buffer, key: Buffer): Buffer => createHmac("sha256", key).update(head).digest();

  /** The token under each key, the current key first. */
  function variants(sessionId: string, generation: number): string[] {
    const head = Buffer.alloc(ID_BYTES + GENERATION_BYTES);
    head.write(sessionId.replaceAll("-", ""), 0, ID_BYTES, "hex");
    head.writeUInt32BE(generation, ID_BYTES);
    return keys.map((key) => PREFIX + Buffer.concat([head, macOf(head, key)]).toString("base64url"));
  }

  return {
    make: (sessionId: string, generation: number): string => variants(sessionId, generation)[0] ?? "",

    /** The issued token with that stored hash; null when MASTER_KEY was changed and the old key is no longer configured. */
    again: (sessionId: string, generation: number, tokenHash: string): string | null =>
      variants(sessionId, generation).find((token) => hashToken(token) === tokenHash) ?? null,

    /** The family (`sessionId`) and number of this token; null when we never issued it. */
    read(token: string): { sessionId: string; generation: number } | null {
      if (!token.startsWith(PREFIX) || token.length > 128) return null;
      const bytes = Buffer.from(token.slice(PREFIX.length), "base64url");
      // Accept the canonical spelling only: decoding tolerates a changed last character and foreign characters.
      if (PREFIX + bytes.toString("base64url") !== token) return null;
      const head = bytes.subarray(0, ID_BYTES + GENERATION_BYTES);
      const mac = bytes.subarray(head.length);
      if (mac.length !== MAC_BYTES || !keys.some((key) => timingSafeEqual(mac, macOf(head, key))))
        return null;
      const hex = head.toString("hex", 0, ID_BYTES);
      const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
      return isUuid(sessionId) ? { sessionId, generation: head.readUInt32BE(ID_BYTES) } : null;
    },
  };
}

export type RefreshTokens = ReturnType<typeof createRefreshTokens>;
