import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const VERSION = "v1";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Where the stream key of that stream may be opened. */
export const streamKeyContext = (streamId: string) => `stream-key:${streamId}`;

/** MASTER_KEY, or a list that begins with it: the others (MASTER_KEY_OLD) still open what they sealed or signed. */
export type MasterKey = string | readonly [string, ...string[]];

const allOf = (masterKey: MasterKey): readonly [string, ...string[]] =>
  typeof masterKey === "string" ? [masterKey] : masterKey;

const derived = (masterKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", masterKey, "livecore", purpose, 32));

/** A key of its own for each purpose, so that no two uses of MASTER_KEY can be played against each other. */
export const deriveKey = (masterKey: MasterKey, purpose: string): Buffer =>
  derived(allOf(masterKey)[0], purpose);

/** What that purpose's key is and was, the present one first: for what must be recognised after a change of MASTER_KEY. */
export const deriveKeys = (masterKey: MasterKey, purpose: string): Buffer[] =>
  allOf(masterKey).map((key) => derived(key, purpose));

/**
 * Secrets that must be read again, kept in MongoDB under MASTER_KEY (AES-256-GCM).
 * `context` names the one place where a sealed value is valid, as `streamKeyContext` does: moved to another
 * document it doesn't open. Each place stands in `sealed-fields.ts`, or a change of MASTER_KEY would leave it behind.
 */
export function createSealing(masterKey: MasterKey) {
  const keys = deriveKeys(masterKey, "sealing");
  const key = deriveKey(masterKey, "sealing");

  function seal(plain: string, context: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, iv);
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
    return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`;
  }

  /** What is in it, and whether it is the present key that opened it. */
  function opened(value: string, context: string): { plain: string; isCurrent: boolean } {
    const [version, body] = value.split(".");
    if (version !== VERSION || !body) throw new Error("The sealed value is in an unknown form.");
    const bytes = Buffer.from(body, "base64url");
    for (const [index, candidate] of keys.entries()) {
      const decipher = createDecipheriv("aes-256-gcm", candidate, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const plain = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      try {
        return {
          plain: Buffer.concat([plain, decipher.final()]).toString("utf8"),
          isCurrent: index === 0,
        };
      } catch (err) {
        if (index === keys.length - 1) throw err;
      }
    }
    throw new Error("There is no key.");
  }

  return {
    seal,

    /** Throws when the value was made under another key or context, or was altered. */
    unseal: (value: string, context: string): string => opened(value, context).plain,

    /** The same under the present key; null when it is already. Throws as `unseal` does. */
    reseal(value: string, context: string): string | null {
      const { plain, isCurrent } = opened(value, context);
      return isCurrent ? null : seal(plain, context);
    },
  };
}

export type Sealing = ReturnType<typeof createSealing>;
