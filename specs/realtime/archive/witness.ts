import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "mongodb";
import type { ChatMessageDoc } from "../../../store/mongo/chat/chat-messages.ts";

const EVERY_MS = 20;

/** Polls the archive: a message that was once in it stays, and one that was once deleted stays deleted. */
export function startWitness(db: Db) {
  const messages = db.collection<ChatMessageDoc>("chat_messages");
  const deleted = new Set<string>();
  const stopping = new AbortController();
  let looks = 0;

  async function look(): Promise<void> {
    const risen = await messages.findOne({ _id: { $in: [...deleted] }, deletedAt: null });
    if (risen) throw new Error(`"${risen.content}" was deleted in the archive, and then it wasn't`);
    const found = await messages.distinct("_id", { deletedAt: { $ne: null } });
    for (const id of found) deleted.add(id);
    looks++;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look();
      await pause(EVERY_MS);
    }
  }
  const watching = run();
  // Reported by `stop`; until then it mustn't be an unhandled rejection.
  watching.catch(() => undefined);

  return {
    /** Rejects with the violation. Resolves with the number of polls. */
    async stop(): Promise<number> {
      stopping.abort();
      await watching;
      return looks;
    },
  };
}
