import type { Core } from "../../deploy/processes/workers/core.ts";
import { usersCollection } from "../../store/mongo/accounts/users.ts";
import { eventually } from "./eventually.ts";

/**
 * Waits until deleted accounts are erased whose time to be restored is over, by doing what the jobs do every few seconds; that they do
 * so by themselves is shown by every-job-runs.spec.ts.
 */
export async function erased({ core }: { core: Core }, ...ids: string[]): Promise<void> {
  const { db } = core.mongo;
  await eventually(
    async () => {
      await core.accountErasure.settle();
      await core.accountErasure.erase(db);
      return (await usersCollection.in(db).countDocuments({ _id: { $in: ids } })) === 0;
    },
    { what: "the accounts are erased" },
  );
}
