import { isBefore, type Position } from "../../../base/room-position.ts";
import { connectRoom, type RoomClient } from "../../../clients/typescript/src/sockets/room-client.ts";
import type { ServerMessage } from "../../../contract/frames.ts";
import { CheckedSocket } from "../../support/frames/checked-socket.ts";
import { hasFields } from "../parent.ts";
import { ClientTrace, isPlace } from "./client-trace.ts";
import type { RoomRecord } from "./room-record.ts";

/** One reconnect: when it was subscribed again, and when it had received everything up to the room's position at that time. */
export type Return = { at: number; recovered: unknown; caughtUpAt: number | null };

export type WatcherOptions = {
  /** ws://host:port */
  url: string;
  record: RoomRecord;
  random: () => number;
  ticket?: () => Promise<string>;
  /** Also called with each message that is checked. */
  onMessage?: (message: ServerMessage) => void;
};

/** The reference client in a room; every message that it receives is checked as it comes. */
export class Watcher {
  readonly record: RoomRecord;
  readonly trace = new ClientTrace();
  readonly client: RoomClient;
  readonly returns: Return[] = [];
  /** The close code it ended with; null while it hasn't ended. */
  endedWith: number | null = null;
  /** The `retry_after_ms` of each bye. */
  readonly byes: number[] = [];
  #socket: CheckedSocket | null = null;
  #target: Position | null = null;
  #isFirst = true;

  constructor({ url, record, random, ticket, onMessage }: WatcherOptions) {
    this.record = record;
    const opened = (socket: CheckedSocket) => {
      this.#socket = socket;
    };
    this.client = connectRoom({
      url,
      streamId: record.streamId,
      random,
      ...(ticket ? { ticket } : {}),
      WebSocket: class extends CheckedSocket {
        constructor(address: string) {
          super(address, { perMessageDeflate: false });
          opened(this);
        }
      },
      onMessage: (message) => {
        this.#receive(message);
        onMessage?.(message);
      },
      onEnd: (code) => {
        this.endedWith = code;
      },
    });
  }

  /** It is in its room and has received everything up to the room's position at its subscription. */
  get isCaughtUp(): boolean {
    return this.client.isLive && this.#target === null;
  }

  /** Whether it has received everything up to that position; a newer epoch counts. */
  hasReached(place: Position): boolean {
    const { last } = this.trace;
    return last !== null && !isBefore({ epoch: last.epoch, seq: last.upTo }, place);
  }

  /** Cuts its socket as a network failure would, whatever its state. */
  cut(): void {
    this.#socket?.terminate();
  }

  leave(): void {
    this.client.close();
    this.#socket?.terminate();
  }

  #receive(message: ServerMessage): void {
    const place = this.trace.receive(message);
    if (place) this.record.shown(place, message);
    if (message.type === "subscribed") this.#subscribed(message.data);
    if (message.type === "bye" && hasFields(message.data, "retry_after_ms"))
      this.byes.push(Number(message.data.retry_after_ms));
    if (this.#target && this.hasReached(this.#target)) this.#arrived();
  }

  #subscribed(data: unknown): void {
    if (!isPlace(data) || !hasFields(data, "recovered")) return;
    if (!this.#isFirst)
      this.returns.push({ at: performance.now(), recovered: data.recovered, caughtUpAt: null });
    this.#isFirst = false;
    this.#target = { epoch: data.epoch, seq: data.seq };
  }

  #arrived(): void {
    this.#target = null;
    const last = this.returns.at(-1);
    if (last) last.caughtUpAt ??= performance.now();
  }
}
