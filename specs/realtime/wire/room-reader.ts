import type { ServerMessage } from "../../../contract/frames.ts";
import { now } from "./clock.ts";
import { WireSocket } from "./wire-socket.ts";

const STAMP = Buffer.from('"content":"@');
const ZERO = 48;

/** The text of a message with its sending time, padded to a length in code points. */
export function stamped(length = 0): string {
  const stamp = `@${now().toFixed(3)}@ `;
  // Four bytes per character, for the maximum size.
  return stamp + "🔥".repeat(Math.max(0, length - stamp.length));
}

/**
 * A socket in one room that tracks its position: it counts missing and repeated events without parsing them, so that a process
 * can hold thousands under load. The rooms that it reads don't change their epoch.
 */
export class RoomReader {
  /** The last event's number, or the subscription's start. */
  seq: number | null = null;
  epoch: number | null = null;
  recovered: unknown;
  /** The window for a reconnect when the socket is lost, from `hello`, ms. */
  retryAfterMs = 0;
  /** Events missing between two received ones; events received again. */
  missing = 0;
  repeated = 0;
  events = 0;
  frames = 0;
  bytes = 0;
  /** When the last event came. */
  lastAt = 0;
  /** Delays of stamped messages, ms; recorded only while it is an array. */
  delays: number[] | null = null;
  /** Called with every event's seq, as it comes. */
  onSeq: ((seq: number) => void) | null = null;
  readonly messages: ServerMessage[] = [];
  readonly socket: WireSocket;
  private replayedFrom: number | null;
  /** The bytes before a sequence number of this room; the user's own events have numbers, too. */
  private readonly mark: Buffer;

  constructor(options: {
    port: number;
    streamId: string;
    after?: string;
    ticket?: string;
    /** Keep all parsed messages; only for few sockets. */
    keepsAll?: boolean;
  }) {
    this.mark = Buffer.from(`"channel":"chat:${options.streamId}","seq":`);
    const query = new URLSearchParams();
    if (options.after !== undefined) query.set("after", options.after);
    if (options.ticket !== undefined) query.set("ticket", options.ticket);
    this.replayedFrom = options.after === undefined ? null : Number(options.after.split(":")[1]);
    this.socket = new WireSocket({
      port: options.port,
      path: `/v1/ws/chat/${options.streamId}?${query}`,
      onFrame: (payload) => this.read(payload, options.keepsAll ?? false),
    });
  }

  get position(): string {
    return `${this.epoch}:${this.seq}`;
  }

  get isSubscribed(): boolean {
    return this.epoch !== null;
  }

  private read(payload: Buffer, keepsAll: boolean): void {
    this.frames++;
    this.bytes += payload.length;
    if (!this.isSubscribed || keepsAll) {
      const messages: ServerMessage[] = JSON.parse(payload.toString());
      if (keepsAll) this.messages.push(...messages);
      if (!this.isSubscribed) {
        this.subscribe(messages);
        return;
      }
    }
    for (
      let at = payload.indexOf(this.mark);
      at >= 0;
      at = payload.indexOf(this.mark, at + this.mark.length)
    ) {
      const seq = numberAt(payload, at + this.mark.length);
      // Topics without a log have null.
      if (seq > 0) this.take(seq);
    }
    if (this.delays) this.measure(payload, this.delays);
  }

  private subscribe(messages: ServerMessage[]): void {
    for (const message of messages) {
      if (message.type === "hello") {
        this.retryAfterMs = (message.data as { retry_after_ms: number }).retry_after_ms;
      } else if (message.type === "subscribed") {
        const data = message.data as { epoch: number; seq: number; recovered: unknown };
        this.epoch = data.epoch;
        this.recovered = data.recovered;
        this.seq = data.recovered === true ? this.replayedFrom : data.seq;
      } else if (message.seq !== undefined) this.take(message.seq);
    }
  }

  private take(seq: number): void {
    const expected = (this.seq ?? 0) + 1;
    this.events++;
    this.lastAt = now();
    if (seq < expected) {
      this.repeated++;
      return;
    }
    this.missing += seq - expected;
    this.seq = seq;
    this.onSeq?.(seq);
  }

  private measure(payload: Buffer, delays: number[]): void {
    const at = now();
    for (let found = payload.indexOf(STAMP); found >= 0; found = payload.indexOf(STAMP, found + 1)) {
      const from = found + STAMP.length;
      delays.push(at - Number(payload.subarray(from, payload.indexOf("@", from)).toString()));
    }
  }
}

function numberAt(bytes: Buffer, from: number): number {
  let value = 0;
  for (let at = from; at < bytes.length; at++) {
    const digit = bytes.readUInt8(at) - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return value;
}
