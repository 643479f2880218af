import type { Db } from "mongodb";
import { DAY_MS } from "../../../base/durations.ts";
import { isBefore } from "../../../base/room-position.ts";
import type { RoomLog } from "../../../realtime/rooms/log.ts";
import { deletedTextsIn, newestByStream } from "../../../store/mongo/chat/deleted-texts.ts";
import { hiddenTextsIn } from "../../../store/mongo/live/hidden-texts.ts";
import type { NightlyDeps } from "../../tasks/nightly-deps.ts";

/** How long the text of a deleted message is kept, so that it can still be reported and decided on. */
const TEXT_KEPT_MS = 30 * DAY_MS;
/** How long a decided case keeps the text of its message, and its reports what else they keep of their target: as long as a strike counts, and can be appealed. */
export const CASE_KEEPS_MS = 90 * DAY_MS;
/** Messages per statement, and per run; more are left to the next night. */
const BATCH = 500;
const MAX_A_RUN = 1_000_000;

/**
 * Marks as deleted what is hidden only by the position of a ban or a clear, since the room's log had it no more: its text is
 * removed as late as if it had been deleted now. Interrupted, the next run continues.
 */
async function markHidden(db: Db, at: Date): Promise<number> {
  const hidden = hiddenTextsIn(db);
  let [read, marked] = [0, 0];
  for await (const range of hidden.unmarked()) {
    let position = range.markedUpTo;
    for (;;) {
      if (read >= MAX_A_RUN) return marked;
      const some = await hidden.messagesOf(range, position, BATCH);
      const ids = some.filter(({ deletedAt }) => deletedAt === null).map(({ _id }) => _id);
      if (ids.length > 0) await hidden.mark(ids, at);
      [read, marked] = [read + some.length, marked + ids.length];
      const last = some.at(-1);
      if (!last || !isBefore(last, range.upTo)) break;
      position = { epoch: last.epoch, seq: last.seq };
      await hidden.markedUpTo(range, position);
    }
    await hidden.markedUpTo(range, range.upTo);
  }
  return marked;
}

/**
 * Removes the texts of messages that were deleted long ago, but for those that a case of reports needs. A text goes from the room's
 * log first: once the archive has none, no later run would find it. Interrupted, the next run continues. What is hidden is marked
 * last, so that a failure of it keeps no text from being removed.
 */
export async function runDeletedTexts({
  db,
  now,
  log,
  rooms,
}: NightlyDeps & { rooms: { log: Pick<RoomLog, "forgetUpTo"> } }): Promise<void> {
  const texts = deletedTextsIn(db);
  const at = now().getTime();
  const since = new Date(at - CASE_KEEPS_MS);
  let removed = 0;
  for await (const batch of texts.before(new Date(at - TEXT_KEPT_MS), { limit: MAX_A_RUN, size: BATCH })) {
    const reported = await texts.reportedAmong(
      batch.map(({ _id }) => _id),
      since,
    );
    const over = batch.filter(({ _id }) => !reported.has(_id));
    for (const [streamId, newest] of newestByStream(over)) await rooms.log.forgetUpTo(streamId, newest);
    if (over.length > 0) removed += await texts.remove(over.map(({ _id }) => _id));
  }
  log.info({ removed }, "texts of deleted messages removed");
  log.info({ marked: await markHidden(db, new Date(at)) }, "hidden messages marked as deleted");
}
