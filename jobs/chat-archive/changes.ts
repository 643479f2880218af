import type { ChatMessage } from "../../specs/contract/frames.ts";
import { isUuid } from "../../store/ids.ts";
import { type ArchiveChange, chatMessageDoc } from "../../store/mongo/chat-messages.ts";

type Place = { epoch: number; seq: number };

/** An entry of a shard's live stream: `<stream> <epoch> <seq>`, the event, and what it deletes. */
export type LiveEntry = { name: string; event: string; effects: string | null };

/**
 * What one entry asks of the archive, in order; nothing for events that aren't about messages.
 * `logStart` tells how far back the room's log reaches: deletions of many go as far as that.
 * Throws SyntaxError and TypeError for an entry of another form.
 */
export async function changesOf(
  { name, event, effects }: LiveEntry,
  logStart: (streamId: string) => Promise<Place>,
): Promise<ArchiveChange[]> {
  const [streamId = "", epoch, seq] = name.split(" ");
  const at = { epoch: Number(epoch), seq: Number(seq) };
  if (!isUuid(streamId) || !Number.isSafeInteger(at.epoch) || !Number.isSafeInteger(at.seq)) {
    throw new TypeError("The entry's name is not a place in a room.");
  }
  if (effects !== null) {
    const from = await logStart(streamId);
    return (JSON.parse(effects) as StoredEffect[]).map((effect) => {
      if (effect.kind === "delete") return effect;
      if (effect.kind === "clear") return { kind: "clear", streamId, from, at };
      return { kind: "deleteOfUser", streamId, userId: effect.userId, from, at };
    });
  }
  if (!event.startsWith('{"type":"chat.message",')) return [];
  const { data }: { data: ChatMessage } = JSON.parse(event);
  return [{ kind: "message", doc: chatMessageDoc(streamId, at, data) }];
}

/** As realtime/rooms/publication.ts writes it. */
type StoredEffect = { kind: "delete"; uuid: string } | { kind: "clear" } | { kind: "hide"; userId: string };
