import { type ErrorEnvelope, isErrorCode, type Refusal, ServiceError } from "../../specs/contract/errors.ts";
import {
  CLOSE_CODES,
  type CommandId,
  type CommandMethod,
  isServerFrame,
  type ServerMessage,
} from "../../specs/contract/frames.ts";
import type { RoomClientOptions, SocketLike } from "./options.ts";
import { Silence } from "./silence.ts";

/**
 * The reference client: one room on one socket, through any number of reconnects.
 *
 * 1. It remembers the last `epoch:seq` and asks for what came after it when it comes back.
 * 2. It comes back after a random time up to a bound that doubles, from `bye.retry_after_ms` when told so,
 *    and from `hello.retry_after_ms` when the socket was lost without a word.
 * 3. A send that wasn't answered before the socket was lost is sent again with the same nonce.
 * 4. A socket on which nothing is heard for twice the server's `ping_interval`, though it asked, is dead: it comes back
 *    by another one.
 * 5. It stays away after 4001, 4003, 4009 and 4400: coming back would end the same way.
 */

export type SentMessage = { epoch: number; seq: number; message: { uuid: string } };

type Call = {
  id: CommandId;
  method: CommandMethod;
  params: object;
  resolve(data: unknown): void;
  reject(error: Error): void;
};

const MAX_DELAY_MS = 10_000;
const MAX_CALLS = 200;
const FINAL: readonly number[] = [
  CLOSE_CODES.authRequired,
  CLOSE_CODES.forbidden,
  CLOSE_CODES.sessionRevoked,
  CLOSE_CODES.badRequest,
];

export class RoomClient {
  private readonly options: RoomClientOptions;
  private readonly channel: string;
  private socket: SocketLike | null = null;
  private place: { epoch: number; seq: number } | null;
  private readonly calls = new Map<CommandId, Call>();
  private nextId = 1;
  private failures = 0;
  private retryAfterMs: number | null = null;
  /** The server's word from when all was well, for a socket that is lost without one. */
  private lostWithinMs = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isEnded = false;
  private isSubscribed = false;
  /** Whether the socket can be written to. */
  private isGreeted = false;
  private readonly silence = new Silence({
    ask: () => {
      if (this.isGreeted) this.transmit({ id: this.nextId++, method: "ping", params: {} });
    },
    giveUp: () => this.abandon(),
  });

  constructor(options: RoomClientOptions) {
    this.options = options;
    this.channel = `chat:${options.streamId}`;
    const [epoch, seq] = (options.after ?? "").split(":").map(Number);
    this.place = epoch !== undefined && seq !== undefined ? { epoch, seq } : null;
    void this.connect();
  }

  /** The last event seen, "<epoch>:<seq>"; null before the first subscription. */
  get position(): string | null {
    return this.place ? `${this.place.epoch}:${this.place.seq}` : null;
  }

  get isLive(): boolean {
    return this.isSubscribed;
  }

  /** Resolves once the message is in the room's log; rejects with the ServiceError that refused it. */
  async say(content: string, options: { replyToId?: string; nonce?: string } = {}): Promise<SentMessage> {
    const nonce = options.nonce ?? globalThis.crypto.randomUUID();
    const reply = options.replyToId === undefined ? {} : { reply_to_id: options.replyToId };
    const data = await this.call("chat.send", { channel: this.channel, content, nonce, ...reply });
    // The contract's answer to chat.send.
    return data as SentMessage;
  }

  /** Any other command; repeated after a reconnect when it wasn't answered. */
  call(method: CommandMethod, params: object): Promise<unknown> {
    if (this.isEnded) return Promise.reject(new Error("This client has ended."));
    if (this.calls.size >= MAX_CALLS) return Promise.reject(new ServiceError("rate_limited"));
    return new Promise((resolve, reject) => {
      const call: Call = { id: this.nextId++, method, params, resolve, reject };
      this.calls.set(call.id, call);
      if (this.isSubscribed) this.transmit(call);
    });
  }

  /** Leaves for good. */
  close(): void {
    this.finish(CLOSE_CODES.normal);
    this.socket?.close(CLOSE_CODES.normal);
  }

  /** Loses the socket as a network would; the client comes back by itself. */
  drop(): void {
    this.socket?.close();
  }

  private async connect(): Promise<void> {
    this.timer = null;
    try {
      const ticket = (await this.options.ticket?.()) ?? null;
      if (this.isEnded) return;
      this.open(ticket);
    } catch (err) {
      // No ticket to be had, or no socket to be made: the same as a connection that failed.
      this.options.onFrame?.({ failed: String(err) });
      this.comeBack();
    }
  }

  private open(ticket: string | null): void {
    const query = new URLSearchParams();
    if (ticket !== null) query.set("ticket", ticket);
    if (this.position !== null) query.set("after", this.position);
    const url = `${this.options.url}/v1/ws/chat/${this.options.streamId}?${query}`;
    const socket = new this.options.WebSocket(url) as SocketLike;
    this.socket = socket;
    this.silence.start();
    socket.onmessage = ({ data }) => this.receive(String(data));
    socket.onerror = () => undefined; // `onclose` follows, with what there is to know
    socket.onclose = ({ code }) => {
      if (this.socket !== socket) return;
      this.lost();
      if (FINAL.includes(code)) this.finish(code);
      else this.comeBack();
    };
  }

  /** The other side is gone, so that `onclose` may take long: nothing of this socket counts any more. */
  private abandon(): void {
    const { socket } = this;
    if (!socket) return;
    this.lost();
    socket.onmessage = null;
    socket.close();
    this.comeBack();
  }

  private lost(): void {
    this.socket = null;
    this.isSubscribed = false;
    this.isGreeted = false;
    this.silence.stop();
  }

  private receive(text: string): void {
    this.silence.heard();
    const frame: unknown = JSON.parse(text);
    this.options.onFrame?.(frame);
    if (!isServerFrame(frame)) throw new Error("The server sent a frame of another form.");
    for (const message of frame) {
      this.apply(message);
      this.options.onMessage?.(message);
    }
  }

  private apply(message: ServerMessage): void {
    if (message.seq !== undefined && message.channel === this.channel && this.place) {
      this.place = { epoch: this.place.epoch, seq: message.seq };
      return;
    }
    switch (message.type) {
      case "subscribed":
        this.subscribed(message.data as { epoch: number; seq: number; recovered: boolean | null });
        return;
      case "room.epoch":
        // A gap within an epoch leaves the place as it is: from its beginning, everything would come again.
        if (this.place?.epoch !== epochIn(message)) this.place = { epoch: epochIn(message), seq: 0 };
        return;
      case "hello":
        this.greeted(message.data as { retry_after_ms?: number; ping_interval?: number });
        return;
      case "bye":
        this.retryAfterMs = (message.data as { retry_after_ms: number }).retry_after_ms;
        return;
      case "reply":
        this.answered(message);
    }
  }

  private greeted({
    retry_after_ms = 0,
    ping_interval,
  }: {
    retry_after_ms?: number;
    ping_interval?: number;
  }) {
    // Absent from a server that is older than this client.
    this.lostWithinMs = retry_after_ms;
    this.isGreeted = true;
    if (ping_interval !== undefined) this.silence.start(ping_interval * 1_000);
  }

  private subscribed({ epoch, seq, recovered }: { epoch: number; seq: number; recovered: boolean | null }) {
    // When recovered, what follows continues from where this client was.
    if (recovered !== true) this.place = { epoch, seq };
    this.failures = 0;
    this.retryAfterMs = null;
    this.isSubscribed = true;
    for (const call of this.calls.values()) this.transmit(call);
  }

  private answered({ id, data, error }: ServerMessage): void {
    const call = id === undefined ? undefined : this.calls.get(id);
    if (!call) return;
    this.calls.delete(call.id);
    if (error) call.reject(errorOf(error));
    else call.resolve(data);
  }

  private transmit({ id, method, params }: Pick<Call, "id" | "method" | "params">): void {
    this.socket?.send(JSON.stringify({ id, method, params }));
  }

  private comeBack(): void {
    if (this.isEnded || this.timer) return;
    const { random = Math.random, baseDelayMs = 250 } = this.options;
    const first = Math.max(baseDelayMs, this.lostWithinMs);
    const bound = this.retryAfterMs ?? Math.max(first, Math.min(MAX_DELAY_MS, first * 2 ** this.failures));
    this.failures++;
    this.retryAfterMs = null;
    this.timer = setTimeout(() => void this.connect(), random() * bound);
  }

  private finish(code: number): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.isSubscribed = false;
    this.silence.stop();
    if (this.timer) clearTimeout(this.timer);
    for (const { reject } of this.calls.values()) reject(new Error(`The socket was closed with ${code}.`));
    this.calls.clear();
    this.options.onEnd?.(code);
  }
}

const epochIn = ({ data }: ServerMessage) => (data as { epoch: number }).epoch;

export function connectRoom(options: RoomClientOptions): RoomClient {
  return new RoomClient(options);
}

function errorOf({ code, message, details }: ErrorEnvelope): Error {
  if (!isErrorCode(code)) return new Error(message);
  // The contract holds the two together.
  return ServiceError.of({ code, ...(details === undefined ? {} : { details }) } as Refusal, { message });
}
