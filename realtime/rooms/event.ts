import type { ChatMessage } from "../../specs/contract/wire.ts";
import { type Position, positionOfId } from "../../store/room-position.ts";

/**
 * The layout of a room's events, as the scripts append them:
 *
 * - payload: the finished message of the contract, whose `seq` the script puts between the two halves of `encodeEvent`;
 * - entry of the room's log, `<epoch>-<seq>`: e <payload>, and for a chat message u <uuid> s <user>;
 * - entry of the shard's live stream: "<stream> <epoch> <seq>" <payload>, and effects <redactions as JSON>.
 */

/** `payload` is the finished JSON of the message, in UTF-8. */
export type RoomEvent = Position & { payload: Buffer };

/** `chat` is set for chat messages alone: what redaction looks at. */
export type LoggedEvent = RoomEvent & { chat: { uuid: string; userId: string } | null };

/** `redactions` is JSON for `redactionsIn`, null for an event without. */
export type LiveEvent = RoomEvent & { streamId: string; redactions: string | null };

/** Which earlier messages lose their text by an event: one, all, or those of a user. */
export type Redaction =
  | { kind: "delete"; uuid: string }
  | { kind: "clear" }
  | { kind: "hide"; userId: string };

const CHAT_MESSAGE = Buffer.from('{"type":"chat.message",');
const STREAM_EVENT = Buffer.from('{"type":"stream.');
const RAID_EVENT = Buffer.from('{"type":"raid.');

/** An event's JSON around its seq, so that the script only concatenates. */
export function encodeEvent(type: string, streamId: string, data: unknown) {
  return {
    prefix: `{"type":${JSON.stringify(type)},"channel":"chat:${streamId}","seq":`,
    suffix: `,"data":${JSON.stringify(data)}}`,
  };
}

/** The message in the suffix of its event. */
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

/** Of a chat message's event, which admission wrote. */
export function messageIn(event: RoomEvent): ChatMessage {
  const { data }: { data: ChatMessage } = JSON.parse(event.payload.toString());
  return data;
}

export function typeAndDataOf({ payload }: RoomEvent): { type: string; data: unknown } {
  return JSON.parse(payload.toString());
}

/** A chat message's event as it is shown once deleted. */
export function withoutText<Event extends RoomEvent>(event: Event): Event {
  const message: { data: object } = JSON.parse(event.payload.toString());
  const data = { ...message.data, content: "", emotes: [], is_deleted: true };
  return { ...event, payload: Buffer.from(JSON.stringify({ ...message, data })) };
}

export function encodeRedactions(redactions: readonly Redaction[]): string | null {
  return redactions.length === 0 ? null : JSON.stringify(redactions);
}

/**
 * A newer release may have written others, which come out as "unreadable": a deletion that doesn't say of what must never
 * become one of everything. Throws SyntaxError and TypeError for what is no list.
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

/** Entries as ioredis hands them over in buffers: [id, [field, value, …]]; null instead of the fields of a trimmed one. */
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

/** Of several streams, by key; none when the read brought nothing. */
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

/** Null for an entry of another form. */
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
