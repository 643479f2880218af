import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { connectMongo } from "../../../store/mongo/driver/connect.ts";
import type { Room } from "../../stress/checker/load-scenario.ts";
import { eventually } from "../../support/eventually.ts";
import type { Service } from "../../support/service.ts";

const MAX_MESSAGES = 100_000;

/**
 * Waits until the archive has every acknowledged message of the rooms. Throws unless each is there once, at the position at which
 * clients received it, and deleted exactly when `isDeleted` says so. Resolves with their number. `mayLose`: Redis itself has lost
 * some before they were archived.
 */
export async function expectArchived(
  { env }: Service,
  rooms: readonly Room[],
  { mayLose, isDeleted }: { mayLose: boolean; isDeleted: (uuid: string) => boolean },
): Promise<number> {
  const mongo = await connectMongo({
    url: String(env.MONGODB_URL),
    database: String(env.MONGODB_DATABASE),
    selectionTimeoutMs: 5_000,
    maxPoolSize: 2,
  });
  const messages = chatMessagesIn(mongo.db);
  try {
    let count = 0;
    for (const { record } of rooms) {
      const problems = async () => {
        const docs = await messages.pageBefore(record.streamId, null, MAX_MESSAGES);
        const there = new Set(docs.map(({ _id }) => _id));
        const places = new Set(docs.map(({ epoch, seq }) => `${epoch}:${seq}`));
        const wrong = docs.filter(({ _id, epoch, seq, deletedAt }) => {
          const shown = record.places.get(_id);
          const moved = shown !== undefined && (shown.epoch !== epoch || shown.seq !== seq);
          return moved || (deletedAt !== null) !== isDeleted(_id);
        });
        const missing = [...record.acknowledged].filter((uuid) => !there.has(uuid)).length;
        return { missing, wrong: wrong.length, twice: docs.length - places.size, count: docs.length };
      };
      const found = await eventually(
        async () => {
          const now = await problems();
          if ((mayLose ? 0 : now.missing) + now.wrong + now.twice > 0) {
            throw new Error(`the archive of ${record.streamId} is wrong: ${JSON.stringify(now)}`);
          }
          return now;
        },
        { withinMs: 20_000 },
      );
      count += found.count;
    }
    return count;
  } finally {
    await mongo.close();
  }
}
