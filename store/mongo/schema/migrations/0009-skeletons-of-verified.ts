import type { AnyBulkWriteOperation } from "mongodb";
import { nameSkeleton } from "../../../../base/texts/name-skeleton.ts";
import { type UserDoc, usersCollection } from "../../accounts/users.ts";
import type { Migration } from "./migration.ts";

const BATCH = 500;

/**
 * Verified accounts keep similar names from others. Those that a worker of the previous release verifies or renames meanwhile lack
 * their skeleton, or have an old one, until they are verified again.
 */
export const skeletonsOfVerified: Migration = {
  number: 9,
  name: "skeletons of verified",
  contracts: false,
  async run(db) {
    const users = usersCollection.in(db);
    let writes: AnyBulkWriteOperation<UserDoc>[] = [];
    const verified = users
      .find({ isVerified: true })
      .project<Pick<UserDoc, "_id" | "username">>({ username: 1 });
    const write = async () => {
      if (writes.length > 0) await users.bulkWrite(writes, { ordered: false });
      writes = [];
    };
    for await (const { _id, username } of verified) {
      const update = { $set: { nameSkeleton: nameSkeleton(username) } };
      // Of one that is renamed meanwhile, that rename has written it.
      writes.push({ updateOne: { filter: { _id, username }, update } });
      if (writes.length === BATCH) await write();
    }
    await write();
  },
};
