import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isUuid } from "../../store/ids.ts";
import { deriveKey } from "./sealing.ts";

const PREFIX = "lc_rt_";
const ID_BYTES = 16;
const GENERATION_BYTES = 4;
const MAC_BYTES = 32;

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Refresh tokens: opaque to clients, 256 secret bits each. Token n of a family is an HMAC over (family, n), so
 * that a client which never saw the answer to its refresh is given the same successor again, though nothing
 * but hashes is stored. The family and n stand in front of it, so that an old token still finds its family.
 */
export function createRefreshTokens(masterKey: string) {
  const key = deriveKey(masterKey, "refresh-tokens");

  function macOf(head: Buffer): Buffer {
    return createHmac("sha256", key).update(head).digest();
  }

  return {
    make(sessionId: string, generation: number): string {
      const head = Buffer.alloc(ID_BYTES + GENERATION_BYTES);
      head.write(sessionId.replaceAll("-", ""), 0, ID_BYTES, "hex");
      head.writeUInt32BE(generation, ID_BYTES);
      return PREFIX + Buffer.concat([head, macOf(head)]).toString("base64url");
    },

    /** Which token of which family this is, or null when we never gave it out. */
    read(token: string): { sessionId: string; generation: number } | null {
      if (!token.startsWith(PREFIX) || token.length > 128) return null;
      const bytes = Buffer.from(token.slice(PREFIX.length), "base64url");
      // One spelling a token: decoding forgives a changed last character and foreign ones in between.
      if (PREFIX + bytes.toString("base64url") !== token) return null;
      const head = bytes.subarray(0, ID_BYTES + GENERATION_BYTES);
      const mac = bytes.subarray(head.length);
      if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, macOf(head))) return null;
      const hex = head.toString("hex", 0, ID_BYTES);
      const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
      return isUuid(sessionId) ? { sessionId, generation: head.readUInt32BE(ID_BYTES) } : null;
    },
  };
}

export type RefreshTokens = ReturnType<typeof createRefreshTokens>;
