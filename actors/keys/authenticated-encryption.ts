import { createCipheriv, createDecipheriv } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
export const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM: IV, tag and the encrypted text. `iv` must never come with another text under the same key. */
export function encrypt(
  plain: string,
  { key, iv, context }: { key: Buffer; iv: Buffer; context: string },
): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, iv);
  cipher.setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

/** The text, and which of the keys decrypted it. Throws when it was encrypted with none of them, for another context, or was altered. */
export function decrypt(
  bytes: Buffer,
  keys: readonly Buffer[],
  context: string,
): { plain: string; keyIndex: number } {
  if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error("The encrypted value is too short.");
  for (const [keyIndex, key] of keys.entries()) {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const plain = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    try {
      return { plain: Buffer.concat([plain, decipher.final()]).toString("utf8"), keyIndex };
    } catch (err) {
      if (keyIndex === keys.length - 1) throw err;
    }
  }
  throw new Error("There is no key.");
}
