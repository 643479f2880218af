import { LivecoreError } from "../errors.ts";
import { ADDRESSES } from "../generated/sockets.ts";
import { pathSegment } from "../path-segment.ts";
import { randomKey } from "../random-key.ts";
import { Connection } from "./connection.ts";
import type { CommandId, CommandMethod, ParamsOf, ResultOf, ServerMessage } from "./messages.ts";
import type { ConnectionOptions } from "./options.ts";
import { Place } from "./place.ts";
import { isPassing } from "./subscription.ts";

export type RoomClientOptions = ConnectionOptions & {
  streamId: string;
  /** Each message in its order, `subscribed` and `room.epoch` included. */
  onMessage?: (message: ServerMessage) => void;
  /** From where on to follow, as "<epoch>:<seq>". */
  after?: string;
};

export type SentMessage = ResultOf<"chat.send">;

/**
 * One room on its dedicated address: it remembers the last `epoch:seq` and asks for what came after it when it comes
 * back. A send that wasn't answered is sent again with the same nonce.
 */
export class RoomClient {
  readonly #connection: Connection;
  readonly #topic: `chat:${string}`;
  readonly #place: Place;
  #isLive = false;
  #isGreeted = false;
  /** Browsers don't show why an address refuses its socket; the reply to a subscription says it. */
  #asks = false;
  #askedBy: CommandId | null = null;

  constructor(options: RoomClientOptions) {
    this.#topic = `chat:${options.streamId}`;
    this.#place = new Place(options.after);
    const address = ADDRESSES.chat.replace("{stream_id}", pathSegment("stream_id", options.streamId));
    this.#connection = new Connection(options, {
      path: () => {
        if (this.#asks) return ADDRESSES.all;
        return this.position === null ? address : `${address}?after=${this.position}`;
      },
      onLost: () => {
        this.#isLive = false;
        this.#asks = !this.#isGreeted;
        this.#isGreeted = false;
      },
      onMessage: (message) => {
        if (message.type === "hello") this.#greeted();
        if (message.type === "reply" && message.id === this.#askedBy && message.error)
          this.#refused(new LivecoreError(message.error, null));
        if ("channel" in message && message.channel === this.#topic) this.#place.see(message);
        if (message.type === "subscribed") {
          this.#isLive = true;
          this.#connection.ready();
        }
        options.onMessage?.(message);
      },
    });
  }

  /** The last event seen, "<epoch>:<seq>"; null before the first subscription. */
  get position(): string | null {
    return this.#place.cursor;
  }

  get isLive(): boolean {
    return this.#isLive && !this.#connection.isEnded;
  }

  /** Resolves once the message is in the room's log; rejects with the LivecoreError that refused it. */
  say(content: string, options: { replyToId?: string; nonce?: string } = {}): Promise<SentMessage> {
    const nonce = options.nonce ?? randomKey();
    const reply = options.replyToId === undefined ? {} : { reply_to_id: options.replyToId };
    return this.call("chat.send", { channel: this.#topic, content, nonce, ...reply });
  }

  /** Any other command; repeated after a reconnect when it wasn't answered. */
  call<Method extends CommandMethod>(method: Method, params: ParamsOf<Method>): Promise<ResultOf<Method>> {
    return this.#connection.call(method, params);
  }

  /** Leaves for good. */
  close(): void {
    this.#connection.close();
  }

  #greeted(): void {
    this.#isGreeted = true;
    const after = this.position === null ? {} : { after: this.position };
    this.#askedBy = this.#asks
      ? this.#connection.send("subscribe", { channel: this.#topic, ...after })
      : null;
  }

  #refused(error: LivecoreError): void {
    if (isPassing(error)) this.drop();
    else this.#connection.refused(error);
  }

  /** Loses the socket as a network would; the client comes back by itself. */
  drop(): void {
    this.#connection.drop();
  }
}

export function connectRoom(options: RoomClientOptions): RoomClient {
  return new RoomClient(options);
}
