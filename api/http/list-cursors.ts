import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { deriveKey, deriveKeys, type MasterKey } from "../../actors/identity/sealing.ts";
import { invalid } from "../../specs/contract/errors.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The cursors of one list, as clients see them. */
export type ListCursors = {
  seal(place: string): string;
  /** Throws `validation_failed` for what isn't a cursor of this list. */
  open(cursor: string): string;
};

/**
 * Seals cursors, since the place of an item that isn't shown, such as a banned follower, has its id. One place has one cursor: the nonce is a
 * MAC of what is sealed, so that it doesn't come again with another place, however many cursors are given.
 */
export function createListCursors(masterKey: MasterKey): (operationId: string) => ListCursors {
  const keys = deriveKeys(masterKey, "list-cursors");
  const currentKey = deriveKey(masterKey, "list-cursors");
  const nonceKey = deriveKey(masterKey, "list-cursor-nonces");

  return (operationId) => ({
    seal(place) {
      const mac = createHmac("sha256", nonceKey).update(`${operationId}\n${place}`).digest();
      const nonce = mac.subarray(0, NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", currentKey, nonce);
      cipher.setAAD(Buffer.from(operationId));
      const sealed = Buffer.concat([cipher.update(place, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
    },

    open(cursor) {
      const bytes = Buffer.from(cursor, "base64url");
      for (const key of bytes.length > NONCE_BYTES + TAG_BYTES ? keys : []) {
        const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(operationId));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const place = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
        try {
          return Buffer.concat([place, decipher.final()]).toString("utf8");
        } catch {
          // Sealed by another key, for another list, or made up.
        }
      }
      throw invalid({ path: "/query/before", rule: "cursor", message: "must be a cursor of this list" });
    },
  });
}
