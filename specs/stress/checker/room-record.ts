import { isBefore, type Position } from "../../../base/room-position.ts";
import type { ServerMessage } from "../../../contract/frames.ts";
import { hasFields } from "../parent.ts";

/**
 * The combined record of one room, from all its clients and speakers: which event has which position, and which messages were
 * acknowledged.
 */
export class RoomRecord {
  readonly streamId: string;
  /** Uuids of acknowledged messages. */
  readonly acknowledged = new Set<string>();
  /** The position of each received message, by uuid. */
  readonly places = new Map<string, Position>();
  /** Two events at one position, or one message at two. */
  readonly conflicts: string[] = [];
  /** The messages of each text, which is sent until it is acknowledged. */
  readonly texts = new Map<string, string[]>();
  readonly #shown = new Map<number, string[]>();
  #head: Position = { epoch: 0, seq: 0 };

  constructor(streamId: string) {
    this.streamId = streamId;
  }

  /** The highest position that any client has received. */
  get head(): Position {
    return this.#head;
  }

  /** Whether any client received an event at that position. */
  isShown({ epoch, seq }: Position): boolean {
    return this.#shown.get(epoch)?.[seq] !== undefined;
  }

  shown(place: Position, { type, data }: ServerMessage): void {
    const inEpoch = this.#shown.get(place.epoch) ?? [];
    this.#shown.set(place.epoch, inEpoch);
    const identity = type === "chat.message" && hasFields(data, "uuid") ? String(data.uuid) : type;
    const known = inEpoch[place.seq];
    if (known === identity) return;
    if (known !== undefined) {
      this.conflicts.push(`${identity} and ${known} in ${place.epoch}:${place.seq}`);
      return;
    }
    inEpoch[place.seq] = identity;
    if (isBefore(this.#head, place)) this.#head = place;
    if (type === "chat.message") this.#note(identity, place, hasFields(data, "content") ? data.content : "");
  }

  #note(uuid: string, place: Position, content: unknown): void {
    const other = this.places.get(uuid);
    if (other) this.conflicts.push(`${uuid} in ${other.epoch}:${other.seq} and ${place.epoch}:${place.seq}`);
    this.places.set(uuid, place);
    const text = String(content);
    if (text !== "") this.texts.set(text, [...(this.texts.get(text) ?? []), uuid]);
  }
}
