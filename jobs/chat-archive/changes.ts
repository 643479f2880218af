import type { ChatMessage } from "../../specs/contract/wire.ts";
import { isUuid } from "../../store/ids.ts";
import { type ArchiveChange, chatMessageDoc } from "../../store/mongo/chat-messages.ts";

type Place = { epoch: number; seq: number };

/** An entry of a shard's live stream: `<stream> <epoch> <seq>`, the event, and what it deletes. */
export type LiveEntry = { name: string; event: string; effects: string | null };

/**
 * What one entry asks of the archive, in order; nothing for events that aren't about messages.
 * `logStart` tells how far back the room's log reaches: deletions of many go as far as that. An effect that this release
 * can't read is handed to `leftOut`, so that it costs nothing but itself.
 * Throws SyntaxError and TypeError for an entry of another form.
 */
export async function changesOf(
  { name, event, effects }: LiveEntry,
  logStart: (streamId: string) => Promise<Place>,
  leftOut: (effect: unknown) => void,
): Promise<ArchiveChange[]> {
  const [streamId = "", epoch, seq] = name.split(" ");
  const at = { epoch: Number(epoch), seq: Number(seq) };
  if (!isUuid(streamId) || !Number.isSafeInteger(at.epoch) || !Number.isSafeInteger(at.seq)) {
    throw new TypeError("The entry's name is not a place in a room.");
  }
  if (effects !== null) {
    const from = await logStart(streamId);
    return listIn(effects).flatMap((value) => {
      const effect = effectIn(value);
      if (effect === null) leftOut(value);
      return effect === null ? [] : [changeOf(effect, streamId, from, at)];
    });
  }
  if (!event.startsWith('{"type":"chat.message",')) return [];
  const { data }: { data: ChatMessage } = JSON.parse(event);
  return [{ kind: "message", doc: chatMessageDoc(streamId, at, data) }];
}

/** As realtime/rooms/publication.ts writes it. */
type StoredEffect = { kind: "delete"; uuid: string } | { kind: "clear" } | { kind: "hide"; userId: string };

function changeOf(effect: StoredEffect, streamId: string, from: Place, at: Place): ArchiveChange {
  switch (effect.kind) {
    case "delete":
      return effect;
    case "clear":
      return { kind: "clear", streamId, from, at };
    case "hide":
      return { kind: "deleteOfUser", streamId, userId: effect.userId, from, at };
  }
}

function listIn(effects: string): unknown[] {
  const list: unknown = JSON.parse(effects);
  if (Array.isArray(list)) return list;
  throw new TypeError("The entry's effects are not a list.");
}

/** Null for one of another form: a deletion that doesn't say of what must never become one of everything. */
function effectIn(value: unknown): StoredEffect | null {
  if (typeof value !== "object" || value === null || !("kind" in value)) return null;
  const { kind } = value;
  if (kind === "clear") return { kind };
  if (kind === "delete" && "uuid" in value && typeof value.uuid === "string") {
    return { kind, uuid: value.uuid };
  }
  if (kind === "hide" && "userId" in value && typeof value.userId === "string") {
    return { kind, userId: value.userId };
  }
  return null;
}
