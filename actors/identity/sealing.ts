import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const VERSION = "v1";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Where the stream key of that stream may be opened. */
export const streamKeyContext = (streamId: string) => `stream-key:${streamId}`;

/** A key of its own for each purpose, so that no two uses of MASTER_KEY can be played against each other. */
export function deriveKey(masterKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "livecore", purpose, 32));
}

/**
 * Secrets that must be read again, kept in MongoDB under MASTER_KEY (AES-256-GCM).
 * `context` names the one place where a sealed value is valid, as `streamKeyContext` does: moved to another
 * document it doesn't open.
 */
export function createSealing(masterKey: string) {
  const key = deriveKey(masterKey, "sealing");
  return {
    seal(plain: string, context: string): string {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      cipher.setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`;
    },

    /** Throws when the value was made under another key or context, or was altered. */
    unseal(value: string, context: string): string {
      const [version, body] = value.split(".");
      if (version !== VERSION || !body) throw new Error("The sealed value is in an unknown form.");
      const bytes = Buffer.from(body, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const sealed = bytes.subarray(IV_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
    },
  };
}

export type Sealing = ReturnType<typeof createSealing>;
