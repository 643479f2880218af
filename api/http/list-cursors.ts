import { createHmac } from "node:crypto";
import { decrypt, encrypt, IV_BYTES } from "../../actors/keys/authenticated-encryption.ts";
import { deriveKey, deriveKeys, type MasterKey } from "../../actors/keys/sealing.ts";
import { invalid } from "../../contract/errors.ts";

/** The cursors of one list, as clients see them. */
export type ListCursors = {
  encrypt(place: string): string;
  /** Throws `validation_failed` for what isn't a cursor of this list. */
  decrypt(cursor: string): string;
};

/**
 * Encrypts cursors, since the place of an item that isn't shown, such as a banned follower, has its id. One place has one cursor: the nonce is a
 * MAC of what is sealed, so that it doesn't come again with another place, however many cursors are given.
 */
export function createListCursors(masterKey: MasterKey): (operationId: string) => ListCursors {
  const keys = deriveKeys(masterKey, "list-cursors");
  const currentKey = deriveKey(masterKey, "list-cursors");
  const nonceKey = deriveKey(masterKey, "list-cursor-nonces");

  return (operationId) => ({
    encrypt(place) {
      const mac = createHmac("sha256", nonceKey).update(`${operationId}\n${place}`).digest();
      const iv = mac.subarray(0, IV_BYTES);
      return encrypt(place, { key: currentKey, iv, context: operationId }).toString("base64url");
    },

    decrypt(cursor) {
      try {
        return decrypt(Buffer.from(cursor, "base64url"), keys, operationId).plain;
      } catch {
        // Encrypted with another key, for another list, or made up.
        throw invalid({ path: "/query/before", rule: "cursor", message: "must be a cursor of this list" });
      }
    },
  });
}
