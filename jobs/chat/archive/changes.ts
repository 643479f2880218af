import { isUuid } from "../../../base/ids.ts";
import type { Position } from "../../../base/room-position.ts";
import {
  isChatMessage,
  liveEventIn,
  messageIn,
  type Redaction,
  redactionsIn,
  type StreamEntry,
} from "../../../realtime/rooms/event.ts";
import { type ArchiveChange, chatMessageDoc } from "../../../store/mongo/chat/chat-messages.ts";

/**
 * The changes of the archive that one entry of a live stream makes, in order; none for events that aren't about messages.
 * `logStart` gives the beginning of the room's log: deletions of many messages reach back to it. A redaction that this
 * release can't read is passed to `leftOut`, and the others of its event are applied. Throws SyntaxError and TypeError for
 * an entry of another shape.
 */
export async function changesOf(
  entry: StreamEntry,
  logStart: (streamId: string) => Promise<Position>,
  leftOut: (redaction: unknown) => void,
): Promise<ArchiveChange[]> {
  const event = liveEventIn(entry);
  if (!event || !isUuid(event.streamId) || ![event.epoch, event.seq].every(Number.isSafeInteger)) {
    throw new TypeError("The entry's name is not a position in a room.");
  }
  const { streamId, epoch, seq, redactions } = event;
  const at = { epoch, seq };
  if (redactions !== null) {
    const from = await logStart(streamId);
    return redactionsIn(redactions).flatMap((redaction) => {
      if (redaction.kind !== "unreadable") return [changeOf(redaction, streamId, from, at)];
      leftOut(redaction.value);
      return [];
    });
  }
  return isChatMessage(event)
    ? [{ kind: "message", doc: chatMessageDoc(streamId, at, messageIn(event)) }]
    : [];
}

function changeOf(redaction: Redaction, streamId: string, from: Position, at: Position): ArchiveChange {
  switch (redaction.kind) {
    case "delete":
      return redaction;
    case "clear":
      return { kind: "clear", streamId, from, at };
    case "hide":
      return { kind: "deleteOfUser", streamId, userId: redaction.userId, from, at };
  }
}
