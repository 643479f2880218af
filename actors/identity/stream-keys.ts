import { createHash, randomBytes } from "node:crypto";

/** A new secret ingest key: 256 bits, in characters that every encoder's form field and URL takes as they are. */
export function newStreamKey(): string {
  return `live_${randomBytes(32).toString("base64url")}`;
}

/** How a key is kept and looked up. No salt: the key has 256 bits of its own, and a hook is matched by index. */
export function streamKeyHash(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
