import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { isUuid } from "../../../base/ids.ts";
import { deriveKeys, type MasterKey } from "../../keys/sealing.ts";

const PREFIX = "lc_appeal_";
const ID_BYTES = 16;
const TIME_BYTES = 6;
const HEAD_BYTES = 2 * ID_BYTES + TIME_BYTES;
const MAC_BYTES = 32;
const LIFE_MS = DAY_MS;

export type Appellant = { userId: string; banId: string };

/**
 * Tokens that let a banned user appeal: an HMAC over account, ban and expiry, by a key for this purpose only. They aren't
 * access tokens: only appeals accept them.
 */
export function createAppealTokens({ masterKey, clock }: { masterKey: MasterKey; clock: Clock }) {
  const keys = deriveKeys(masterKey, "appeal-tokens");
  const macsOf = (head: Buffer) => keys.map((key) => createHmac("sha256", key).update(head).digest());

  return {
    make({ userId, banId }: Appellant): string {
      const head = Buffer.alloc(HEAD_BYTES);
      head.write(userId.replaceAll("-", ""), 0, ID_BYTES, "hex");
      head.write(banId.replaceAll("-", ""), ID_BYTES, ID_BYTES, "hex");
      head.writeUIntBE(clock.now() + LIFE_MS, 2 * ID_BYTES, TIME_BYTES);
      return PREFIX + Buffer.concat([head, ...macsOf(head).slice(0, 1)]).toString("base64url");
    },

    /** Null for a token that we never issued, or that has expired. */
    read(token: string): Appellant | null {
      if (!token.startsWith(PREFIX)) return null;
      const bytes = Buffer.from(token.slice(PREFIX.length), "base64url");
      if (PREFIX + bytes.toString("base64url") !== token) return null;
      const head = bytes.subarray(0, HEAD_BYTES);
      const mac = bytes.subarray(HEAD_BYTES);
      if (mac.length !== MAC_BYTES || !macsOf(head).some((ours) => timingSafeEqual(mac, ours))) return null;
      if (head.readUIntBE(2 * ID_BYTES, TIME_BYTES) <= clock.now()) return null;
      const [userId, banId] = [uuidAt(head, 0), uuidAt(head, ID_BYTES)];
      return isUuid(userId) && isUuid(banId) ? { userId, banId } : null;
    },
  };
}

export type AppealTokens = ReturnType<typeof createAppealTokens>;

const uuidAt = (bytes: Buffer, at: number): string =>
  bytes.toString("hex", at, at + ID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
