import type { Db, Document } from "mongodb";
import { createSealing } from "../../../actors/keys/sealing.ts";
import { SEALED_FIELDS } from "../../../actors/resealing/sealed-fields.ts";

/** The format of `sealing.ts`, also inside other text. */
const SEALED = /\bv1\.[\w-]{38,}/;

/** The places of sealed values in the database, as `collection.field`, and those that the key doesn't open. */
export async function sealedValuesIn(
  db: Db,
  masterKey: string,
): Promise<{ places: string[]; unopened: string[] }> {
  const sealing = createSealing(masterKey);
  const places = new Set<string>();
  const unopened: string[] = [];
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    for await (const doc of db.collection(name).find()) {
      for (const [field, value] of textsIn(doc)) {
        if (!SEALED.test(value)) continue;
        places.add(`${name}.${field}`);
        const known = SEALED_FIELDS.find((one) => one.collection === name && one.field === field);
        if (!known) continue;
        try {
          sealing.unseal(value, known.contextOf(doc));
        } catch (err) {
          unopened.push(`${name}.${field}: ${String(err)}`);
        }
      }
    }
  }
  return { places: [...places], unopened };
}

/** All texts of a document with their paths; those in lists under the list's path. */
function textsIn(part: Document | unknown, path = ""): [path: string, value: string][] {
  if (typeof part === "string") return [[path, part]];
  if (Array.isArray(part)) return part.flatMap((item) => textsIn(item, path));
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => textsIn(value, path === "" ? key : `${path}.${key}`));
}
