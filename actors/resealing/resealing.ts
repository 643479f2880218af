/**
 * Rotation of MASTER_KEY, while the service runs with the new key and can still unseal values of the old one:
 * 1. Each collection with a sealed field is scanned by `_id` in batches. The cursor is stored, so that an interrupted scan
 *    continues there.
 * 2. Values under the present key are skipped. Others are replaced by compare-and-set on the sealed value: a value that the
 *    service has resealed meanwhile is under the present key already.
 * 3. Values that no key unseals are left unchanged and reported. In that case the old key must not be removed.
 */
import { createHash } from "node:crypto";
import type { Db, Document } from "mongodb";
import { processClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { jobCursorsIn } from "../../store/mongo/driver/job-cursors.ts";
import { createSealing, deriveKey, type MasterKey } from "../keys/sealing.ts";
import { SEALED_FIELDS, type SealedField } from "./sealed-fields.ts";

const BATCH = 200;
/** How many unreadable values per field are logged. */
const MAX_LOGGED = 20;

export type Resealed = {
  collection: string;
  field: string;
  /** Sealed values scanned. */
  seen: number;
  resealed: number;
  /** Values that no key unsealed. */
  unopened: number;
};

/** Rejects when the store fails; the next call continues from the stored cursor. */
export async function resealAll({
  db,
  masterKey,
  log,
  fields = SEALED_FIELDS,
  batch = BATCH,
}: {
  db: Db;
  masterKey: MasterKey;
  log: Log;
  fields?: readonly SealedField[];
  batch?: number;
}): Promise<Resealed[]> {
  const results: Resealed[] = [];
  for (const field of fields) results.push(await resealField({ db, masterKey, log, batch }, field));
  return results;
}

async function resealField(
  { db, masterKey, log, batch }: { db: Db; masterKey: MasterKey; log: Log; batch: number },
  { collection: name, field, contextOf }: SealedField,
): Promise<Resealed> {
  const sealing = createSealing(masterKey);
  // Identifies the present key, so that a rotation to another key starts its own scan.
  const key = createHash("sha256").update(deriveKey(masterKey, "key-name")).digest("hex").slice(0, 8);
  const cursor = jobCursorsIn<Resealed & { after: unknown }>(db, `reseal:${key}:${name}.${field}`);
  const collection = db.collection<Document & { _id: never }>(name);
  const kept = await cursor.find();
  const result: Resealed = kept
    ? { collection: name, field, seen: kept.seen, resealed: kept.resealed, unopened: kept.unopened }
    : { collection: name, field, seen: 0, resealed: 0, unopened: 0 };
  let after = kept?.after;

  for (;;) {
    const docs = await collection
      .find({
        [field]: { $type: "string" },
        ...(after === undefined ? {} : { _id: { $gt: after } }),
      } as Document)
      .sort({ _id: 1 })
      .limit(batch)
      .toArray();
    for (const doc of docs) {
      const value = field.split(".").reduce<unknown>((part, step) => Object(part)[step], doc);
      if (typeof value !== "string") continue;
      result.seen++;
      const again = resealed(value, contextOf(doc));
      if (again === "unopened") {
        result.unopened++;
        if (result.unopened <= MAX_LOGGED)
          log.error({ collection: name, field, id: doc._id }, "no key opens a sealed value");
      } else if (again !== null) {
        const filter = { _id: doc._id, [field]: value } as Document;
        await collection.updateOne(filter, { $set: { [field]: again } as Document });
        result.resealed++;
      }
    }
    after = docs.at(-1)?._id;
    if (docs.length < batch) break;
    await cursor.keep({ ...result, after }, new Date(processClock.now()));
  }
  await cursor.done();
  return result;

  function resealed(value: string, context: string): string | null | "unopened" {
    try {
      return sealing.reseal(value, context);
    } catch (err) {
      log.debug({ err, collection: name }, "a sealed value can't be opened");
      return "unopened";
    }
  }
}
