import type { AnyBulkWriteOperation, Db } from "mongodb";
import { tagFrom } from "../../../texts/tag.ts";
import type { Migration } from "../../schema/migrations/migration.ts";

type Tagged = { _id: string; tags: string[] };

const BATCH = 500;
/** Has anything but ASCII letters, digits and signs, so that it may be stored otherwise now. */
const UNUSUAL = { tags: { $regex: "[^!-~]" } };

/**
 * Stores tags as people see them: "İstanbul", its decomposed form and that with spaces around it are one tag. Lists also find
 * the old forms, which workers of the previous release go on writing.
 */
export const tagsAsSeen: Migration = {
  number: 11,
  name: "tags as seen",
  contracts: false,
  async run(db) {
    for (const name of ["streams", "categories"]) await renewTags(db, name);
  },
};

async function renewTags(db: Db, name: string): Promise<void> {
  const tagged = db.collection<Tagged>(name);
  let writes: AnyBulkWriteOperation<Tagged>[] = [];
  const write = async () => {
    if (writes.length > 0) await tagged.bulkWrite(writes, { ordered: false });
    writes = [];
  };
  for await (const { _id, tags } of tagged.find(UNUSUAL).project<Tagged>({ tags: 1 })) {
    // Of one whose tags are changed meanwhile, that change wins.
    const update = { $set: { tags: [...new Set(tags.map(tagFrom))] } };
    writes.push({ updateOne: { filter: { _id, tags }, update } });
    if (writes.length === BATCH) await write();
  }
  await write();
}
