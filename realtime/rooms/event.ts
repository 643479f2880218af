import { type Position, positionOfId } from "../../base/room-position.ts";
import type { ChatMessage } from "../../contract/wire.ts";

/**
 * The format of a room's events, as the scripts append them:
 *
 * - payload: the complete message of the contract; the script puts its `seq` between the two halves of `encodeEvent`;
 * - entry of the room's log, `<epoch>-<seq>`: e <payload>, and for a chat message u <uuid> s <user>;
 * - entry of the shard's live stream: "<stream> <epoch> <seq>" <payload>, and effects <redactions as JSON>.
 */

/** `payload` is the complete JSON of the message, in UTF-8. */
export type RoomEvent = Position & { payload: Buffer };

/** `chat` is set for chat messages only: redaction needs it. */
export type LoggedEvent = RoomEvent & { chat: { uuid: string; userId: string } | null };

/** `redactions` is JSON for `redactionsIn`, null for an event without redactions. */
export type LiveEvent = RoomEvent & { streamId: string; redactions: string | null };

/** Which earlier messages lose their text by an event: one, all, or those of a user. */
export type Redaction =
  | { kind: "delete"; uuid: string }
  | { kind: "clear" }
  | { kind: "hide"; userId: string };

const CHAT_MESSAGE = Buffer.from('{"type":"chat.message",');
const STREAM_EVENT = Buffer.from('{"type":"stream.');
const RAID_EVENT = Buffer.from('{"type":"raid.');

/** An event's JSON before and after its seq, so that the script only concatenates. */
export function encodeEvent(type: string, streamId: string, data: unknown) {
  return {
    prefix: `{"type":${JSON.stringify(type)},"channel":"chat:${streamId}","seq":`,
    suffix: `,"data":${JSON.stringify(data)}}`,
  };
}

/** Parses the message in an event's suffix. */
export function messageInSuffix(suffix: string): ChatMessage {
  return JSON.parse(suffix.slice(`,"data":`.length, -1));
}

export function isChatMessage({ payload }: RoomEvent): boolean {
  return payload.subarray(0, CHAT_MESSAGE.length).equals(CHAT_MESSAGE);
}

/** Whether the event is about the broadcast: `stream.live`, `stream.updated`, `stream.offline`. */
export function isStreamEvent({ payload }: RoomEvent): boolean {
  return payload.subarray(0, STREAM_EVENT.length).equals(STREAM_EVENT);
}

export function isRaidEvent({ payload }: RoomEvent): boolean {
  return payload.subarray(0, RAID_EVENT.length).equals(RAID_EVENT);
}

/** The message in a chat message's event, which admission wrote. */
export function messageIn(event: RoomEvent): ChatMessage {
  const { data }: { data: ChatMessage } = JSON.parse(event.payload.toString());
  return data;
}

export function typeAndDataOf({ payload }: RoomEvent): { type: string; data: unknown } {
  return JSON.parse(payload.toString());
}

/** A chat message's event as it looks once the message is deleted. */
export function withoutText<Event extends RoomEvent>(event: Event): Event {
  const message: { data: object } = JSON.parse(event.payload.toString());
  const data = { ...message.data, content: "", emotes: [], is_deleted: true };
  return { ...event, payload: Buffer.from(JSON.stringify({ ...message, data })) };
}

export function encodeRedactions(redactions: readonly Redaction[]): string | null {
  return redactions.length === 0 ? null : JSON.stringify(redactions);
}

/**
 * A newer release may have written other kinds, which come out as "unreadable": a deletion whose target can't be read must
 * never become a deletion of everything. Throws SyntaxError and TypeError when the JSON is no list.
 */
export function redactionsIn(json: string): (Redaction | { kind: "unreadable"; value: unknown })[] {
  const list: unknown = JSON.parse(json);
  if (!Array.isArray(list)) throw new TypeError("An event's redactions are not a list.");
  return list.map((value: unknown) => redactionIn(value) ?? { kind: "unreadable", value });
}

function redactionIn(value: unknown): Redaction | null {
  if (typeof value !== "object" || value === null || !("kind" in value)) return null;
  const { kind } = value;
  if (kind === "clear") return { kind };
  if (kind === "delete" && "uuid" in value && typeof value.uuid === "string")
    return { kind, uuid: value.uuid };
  if (kind === "hide" && "userId" in value && typeof value.userId === "string") {
    return { kind, userId: value.userId };
  }
  return null;
}

export type StreamEntry = { id: string; fields: Buffer[] };

/** Entries as ioredis returns them in buffers: [id, [field, value, …]]; the fields of a trimmed entry are null. */
export function entriesIn(raw: unknown): StreamEntry[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((entry: unknown) => {
    const [id, fields]: unknown[] = Array.isArray(entry) ? entry : [];
    if (!Buffer.isBuffer(id) || !(fields === null || Array.isArray(fields))) {
      throw new Error("Redis answered an entry of another form.");
    }
    return { id: id.toString(), fields: (fields ?? []).filter(Buffer.isBuffer) };
  });
}

/** The entries of several streams, by key; empty when the read returned nothing. */
export function streamsIn(raw: unknown): { key: string; entries: StreamEntry[] }[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((stream: unknown) => {
    if (!Array.isArray(stream)) throw new Error("Redis answered a stream of another form.");
    return { key: String(stream[0]), entries: entriesIn(stream[1]) };
  });
}

export function loggedEventIn({ id, fields: [, payload, , uuid, , userId] }: StreamEntry): LoggedEvent {
  const position = positionOfId(id);
  if (!position) throw new Error("A room's log has an entry without a position.");
  return {
    ...position,
    payload: payload ?? Buffer.alloc(0),
    chat: uuid && userId ? { uuid: uuid.toString(), userId: userId.toString() } : null,
  };
}

/** Null for an entry in another format. */
export function liveEventIn({ fields: [name, payload, , redactions] }: StreamEntry): LiveEvent | null {
  const [streamId, epoch, seq] = (name?.toString() ?? "").split(" ");
  if (!streamId || !epoch || !seq || !payload) return null;
  return {
    streamId,
    epoch: Number(epoch),
    seq: Number(seq),
    payload,
    redactions: redactions ? redactions.toString() : null,
  };
}
