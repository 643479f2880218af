import { ADDRESSES } from "../generated/sockets.ts";
import { LivecoreError } from "../rest/errors.ts";
import { pathSegment } from "../rest/path-segment.ts";
import { randomKey } from "../rest/random-key.ts";
import { Connection } from "./connection.ts";
import { LogPosition } from "./log-position.ts";
import type { CommandId, CommandMethod, ParamsOf, ResultOf, ServerMessage } from "./messages.ts";
import type { ConnectionOptions } from "./options.ts";
import { isPassing } from "./subscription.ts";

export type RoomClientOptions = ConnectionOptions & {
  streamId: string;
  /** Called with each message in order, including `subscribed` and `room.epoch`. */
  onMessage?: (message: ServerMessage) => void;
  /** The position to resume from, as "<epoch>:<seq>". */
  after?: string;
  /** Follow raids of the room into their target; see `RoomClient.followsRaids`. */
  followRaids?: boolean;
};

const RUNNING: readonly string[] = ["owner", "moderator", "staff"];
/** How long a raid accepts members after its start, ms; not part of the public API. */
export const RAID_ARRIVAL_MS = 60_000;
/** The time over which clients that follow a raid spread, ms. */
const SPREAD_MS = 1_000;

export type SentMessage = ResultOf<"chat.send">;

/**
 * One room at its own address. It remembers the last `epoch:seq` and resumes from it after a reconnect. A message without an
 * answer is sent again with the same nonce.
 */
export class RoomClient {
  readonly #connection: Connection;
  readonly #random: () => number;
  #streamId: string;
  #address: string;
  #place: LogPosition;
  #isLive = false;
  /** The user is the room's owner, a moderator or staff, and stays when it raids another one. */
  #isRunning = false;
  #following: ReturnType<typeof setTimeout> | null = null;
  /** Whether the client follows a raid of this room, within a second; false for a user who has opted out. */
  followsRaids: boolean;
  #isGreeted = false;
  /**
   * Whether the next socket uses the common address and subscribes. Browsers hide why an upgrade was refused; the reply to a
   * subscribe command says why.
   */
  #asks = false;
  #askedBy: CommandId | null = null;

  constructor(options: RoomClientOptions) {
    this.#streamId = options.streamId;
    this.#address = addressOf(options.streamId);
    this.#place = new LogPosition(options.after);
    this.#random = options.random ?? Math.random;
    this.followsRaids = options.followRaids ?? false;
    this.#connection = new Connection(options, {
      path: () => {
        if (this.#asks) return ADDRESSES.all;
        return this.position === null ? this.#address : `${this.#address}?after=${this.position}`;
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
        if ("channel" in message && message.channel === this.#topic) this.#see(message);
        options.onMessage?.(message);
      },
    });
  }

  get #topic(): `chat:${string}` {
    return `chat:${this.#streamId}`;
  }

  /** The room that the client is in: another one after a raid. */
  get streamId(): string {
    return this.#streamId;
  }

  #see(message: ServerMessage): void {
    this.#place.see(message);
    if (message.type === "subscribed") {
      this.#isLive = true;
      this.#isRunning = RUNNING.includes(message.data.state.role ?? "");
      this.#connection.ready();
    } else if (message.type === "room.standing") {
      this.#isRunning = RUNNING.includes(message.data.role ?? "");
    } else if (message.type === "raid.go") {
      const { started_at: startedAt, target_stream_id: target } = message.data.raid;
      // Replays contain it as well: a client that comes too late for the raid stays.
      const isNow = startedAt === undefined || Date.now() - Date.parse(startedAt) < RAID_ARRIVAL_MS;
      if (isNow && this.#following === null)
        this.#following = setTimeout(() => this.#follow(target), this.#random() * SPREAD_MS);
    }
  }

  #follow(streamId: string): void {
    this.#following = null;
    if (!this.followsRaids || this.#isRunning || this.#connection.isEnded) return;
    this.#streamId = streamId;
    this.#address = addressOf(streamId);
    this.#place = new LogPosition();
    this.#connection.drop();
  }

  /** The last event seen, "<epoch>:<seq>"; null before the first subscription. */
  get position(): string | null {
    return this.#place.cursor;
  }

  get isLive(): boolean {
    return this.#isLive && !this.#connection.isEnded;
  }

  /**
   * Sends a chat message. Resolves once it is in the room's log (`message` in the answer), is held for a moderator (`held: true`), or
   * has run as a slash command (`held: false`); rejects with the LivecoreError that refused it.
   */
  say(content: string, options: { replyToId?: string; nonce?: string } = {}): Promise<SentMessage> {
    const nonce = options.nonce ?? randomKey();
    const reply = options.replyToId === undefined ? {} : { reply_to_id: options.replyToId };
    return this.call("chat.send", { channel: this.#topic, content, nonce, ...reply });
  }

  /** Sends any other command; sent again after a reconnect when it wasn't answered. */
  call<Method extends CommandMethod>(method: Method, params: ParamsOf<Method>): Promise<ResultOf<Method>> {
    return this.#connection.call(method, params);
  }

  /** Ends the client for good. */
  close(): void {
    if (this.#following) clearTimeout(this.#following);
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

  /** Drops the socket as a network failure would; the client reconnects by itself. */
  drop(): void {
    this.#connection.drop();
  }
}

/** Throws a TypeError for an id that can't be a path segment. */
const addressOf = (streamId: string): string =>
  ADDRESSES.chat.replace("{stream_id}", pathSegment("stream_id", streamId));

export function connectRoom(options: RoomClientOptions): RoomClient {
  return new RoomClient(options);
}
