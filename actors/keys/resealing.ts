/**
 * A new MASTER_KEY, while the service runs on it and still opens what the old one sealed:
 * 1. Each collection with a sealed field is walked by `_id`, a batch at a time; the place is kept, so that a walk that was
 *    interrupted goes on there.
 * 2. What the present key opens is passed over. The rest is replaced by compare-and-set on the sealed value: one that the
 *    service has sealed anew meanwhile is under the present key already.
 * 3. What no key opens stays as it is, and is named at the end: then the old key mustn't be given up.
 */
import { createHash } from "node:crypto";
import type { Db, Document } from "mongodb";
import type { Log } from "../../store/log.ts";
import { jobCursorsIn } from "../../store/mongo/job-cursors.ts";
import { createSealing, deriveKey, type MasterKey } from "../identity/sealing.ts";
import { SEALED_FIELDS, type SealedField } from "./sealed-fields.ts";

const BATCH = 200;
/** Of each field that many are named. */
const MAX_NAMED = 20;

export type Resealed = {
  collection: string;
  field: string;
  /** Sealed values that were seen. */
  seen: number;
  resealed: number;
  /** What no key opened. */
  unopened: number;
};

/** Rejects when the store fails; the next call goes on where this one came to. */
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
  // Of the present key: the walk of another one begins by itself.
  const key = createHash("sha256").update(deriveKey(masterKey, "key-name")).digest("hex").slice(0, 8);
  const cursor = jobCursorsIn<Resealed & { after: unknown }>(db, `reseal:${key}:${name}.${field}`);
  const collection = db.collection<Document & { _id: never }>(name);
  const kept = await cursor.find();
  const result: Resealed = kept
    ? { ...{ collection: name, field }, seen: kept.seen, resealed: kept.resealed, unopened: kept.unopened }
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
        if (result.unopened <= MAX_NAMED)
          log.error({ collection: name, field, id: doc._id }, "no key opens a sealed value");
      } else if (again !== null) {
        const filter = { _id: doc._id, [field]: value } as Document;
        await collection.updateOne(filter, { $set: { [field]: again } as Document });
        result.resealed++;
      }
    }
    after = docs.at(-1)?._id;
    if (docs.length < batch) break;
    await cursor.keep({ ...result, after }, new Date());
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
