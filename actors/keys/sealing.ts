import { hkdfSync, randomBytes } from "node:crypto";
import { decrypt, encrypt, IV_BYTES } from "./authenticated-encryption.ts";

const VERSION = "v1";

/** The sealing context of that stream's key. */
export const streamKeyContext = (streamId: string) => `stream-key:${streamId}`;

/** MASTER_KEY, or a list that begins with it; the others (MASTER_KEY_OLD) only open or verify old values. */
export type MasterKey = string | readonly [string, ...string[]];

const allOf = (masterKey: MasterKey): readonly [string, ...string[]] =>
  typeof masterKey === "string" ? [masterKey] : masterKey;

const derived = (masterKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", masterKey, "livecore", purpose, 32));

/** Derives a separate key for each purpose, so that no value made for one purpose is valid for another. */
export const deriveKey = (masterKey: MasterKey, purpose: string): Buffer =>
  derived(allOf(masterKey)[0], purpose);

/** That purpose's keys, the current one first: for values that must still be recognised after a change of MASTER_KEY. */
export const deriveKeys = (masterKey: MasterKey, purpose: string): Buffer[] =>
  allOf(masterKey).map((key) => derived(key, purpose));

/**
 * Encrypts secrets that must be read again for storage in MongoDB, under MASTER_KEY (AES-256-GCM).
 * `context` names the only place where a sealed value is valid, as `streamKeyContext` does: moved to another
 * document, it can't be decrypted. Each place must be listed in `sealed-fields.ts`; otherwise a change of MASTER_KEY doesn't
 * reseal it.
 */
export function createSealing(masterKey: MasterKey) {
  const keys = deriveKeys(masterKey, "sealing");
  const key = deriveKey(masterKey, "sealing");

  function seal(plain: string, context: string): string {
    const sealed = encrypt(plain, { key, iv: randomBytes(IV_BYTES), context });
    return `${VERSION}.${sealed.toString("base64url")}`;
  }

  /** The plain value, and whether the current key decrypted it. */
  function open(value: string, context: string): { plain: string; isCurrent: boolean } {
    const [version, body] = value.split(".");
    if (version !== VERSION || !body) throw new Error("The sealed value is in an unknown form.");
    const { plain, keyIndex } = decrypt(Buffer.from(body, "base64url"), keys, context);
    return { plain, isCurrent: keyIndex === 0 };
  }

  return {
    seal,

    /** Throws when the value was sealed with another key or context, or was altered. */
    unseal: (value: string, context: string): string => open(value, context).plain,

    /** Reseals the value with the current key; null when it already is. Throws like `unseal`. */
    reseal(value: string, context: string): string | null {
      const { plain, isCurrent } = open(value, context);
      return isCurrent ? null : seal(plain, context);
    },
  };
}

export type Sealing = ReturnType<typeof createSealing>;
