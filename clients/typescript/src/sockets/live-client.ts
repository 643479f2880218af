import { ADDRESSES } from "../generated/sockets.ts";
import { LivecoreError } from "../rest/errors.ts";
import { randomKey } from "../rest/random-key.ts";
import { Connection } from "./connection.ts";
import type { CommandId, CommandMethod, ParamsOf, ResultOf, ServerMessage, Topic } from "./messages.ts";
import type { ConnectionOptions } from "./options.ts";
import { isPassing, Subscription } from "./subscription.ts";

type Followed = {
  subscription: Pick<Subscription<Topic>, "topic" | "position" | "receive" | "move" | "lost" | "end">;
  followsRaids: boolean;
  /** Id of the latest subscribe command for it, on this socket or the last one. */
  askedBy: CommandId | null;
};

const USUAL_WAIT_MS = 2_000;

/**
 * Any number of topics on one socket. Each subscription has its cursor: after a reconnect each continues from where it was, and
 * commands without an answer are sent again.
 */
export class LiveClient {
  readonly #connection: Connection;
  readonly #subscriptions = new Map<string, Followed>();
  readonly #retryTimers = new Set<ReturnType<typeof setTimeout>>();
  #isGreeted = false;
  /** How far the service's clock is ahead of the local one, ms. */
  #aheadMs: number | null = null;

  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options, {
      path: () => ADDRESSES.all,
      onMessage: (message) => this.#receive(message),
      onLost: () => this.#lost(),
    });
  }

  /**
   * Follows a topic until it is left; a second call returns the same subscription. `after` resumes from a position. With
   * `followRaids` the server moves a chat's subscription along when its room raids another one: after `raid.moved` its `topic` is
   * that room's.
   */
  subscribe<T extends Topic>(
    topic: T,
    after?: string,
    { followRaids = false }: { followRaids?: boolean } = {},
  ): Subscription<T> {
    const known = this.#subscriptions.get(topic);
    // Stored under its topic, so it has this type.
    if (known) return known.subscription as Subscription<T>;
    const subscription = new Subscription(topic, { after, onLeave: (last) => this.#leave(last) });
    const followed = { subscription, followsRaids: followRaids, askedBy: null };
    this.#subscriptions.set(topic, followed);
    if (this.#isGreeted) this.#ask(followed);
    return subscription;
  }

  /**
   * Sends a chat message. Resolves once it is in the room's log (`message` in the answer), is held for a moderator (`held: true`), or
   * has run as a slash command (`held: false`). After a lost socket it is sent again with the same nonce.
   */
  say(streamId: string, content: string, options: { replyToId?: string; nonce?: string } = {}) {
    const nonce = options.nonce ?? randomKey();
    const reply = options.replyToId === undefined ? {} : { reply_to_id: options.replyToId };
    return this.call("chat.send", { channel: `chat:${streamId}`, content, nonce, ...reply });
  }

  /** Sends any command, except those of `subscribe` and `Subscription.leave`. */
  call<Method extends Exclude<CommandMethod, "subscribe" | "unsubscribe">>(
    method: Method,
    params: ParamsOf<Method>,
  ): Promise<ResultOf<Method>> {
    return this.#connection.call(method, params);
  }

  /** Ends the client for good. */
  close(): void {
    this.#connection.close();
    this.#forgetWaits();
  }

  /** The time by the service's clock, Unix ms, as its last greeting told; the local time before that. */
  serverNow(): number {
    return Date.now() + (this.#aheadMs ?? 0);
  }

  /** By how much the service's clock is ahead of the local one, ms; null before the first greeting. */
  get aheadMs(): number | null {
    return this.#aheadMs;
  }

  /** Drops the socket as a network failure would; the client reconnects by itself. */
  drop(): void {
    this.#connection.drop();
  }

  /** Ends the wait before the next try, if it has lost its socket: the network is back. */
  retryNow(): void {
    this.#connection.retryNow();
  }

  #receive(message: ServerMessage): void {
    if (message.type === "hello") {
      this.#isGreeted = true;
      this.#aheadMs = Date.parse(message.data.server_time) - Date.now();
      for (const followed of this.#subscriptions.values()) this.#ask(followed);
      // After the subscriptions, since the commands of one topic keep their order.
      this.#connection.ready();
    } else if (message.type === "reply") {
      // A subscribe command gets a second reply when its replay failed on the way.
      const followed = this.#askedBy(message.id);
      if (followed && message.error) this.#refused(followed, new LivecoreError(message.error, null));
    } else if ("channel" in message) {
      const followed = this.#subscriptions.get(message.channel);
      if (followed && message.type === "raid.moved") this.#move(followed, message.data.channel as Topic);
      followed?.subscription.receive(message);
    }
  }

  /** When the target is subscribed already, that subscription continues and this one isn't served any more. */
  #move(followed: Followed, to: Topic): void {
    this.#subscriptions.delete(followed.subscription.topic);
    followed.subscription.move(to);
    if (!this.#subscriptions.has(to)) this.#subscriptions.set(to, followed);
  }

  #ask(followed: Followed): void {
    const { topic: channel, position } = followed.subscription;
    const after = position === null ? {} : { after: position };
    const raids = followed.followsRaids ? { follow_raids: true } : {};
    followed.askedBy = this.#connection.send("subscribe", { channel, ...after, ...raids });
  }

  #askedBy(id: CommandId): Followed | undefined {
    return [...this.#subscriptions.values()].find(({ askedBy }) => askedBy === id);
  }

  #refused(followed: Followed, error: LivecoreError): void {
    const { subscription } = followed;
    if (!isPassing(error)) {
      this.#subscriptions.delete(subscription.topic);
      subscription.end(error);
      return;
    }
    const wait = setTimeout(() => {
      this.#retryTimers.delete(wait);
      if (this.#subscriptions.get(subscription.topic) === followed) this.#ask(followed);
    }, error.retryAfterMs ?? USUAL_WAIT_MS);
    this.#retryTimers.add(wait);
  }

  #leave(channel: Topic): void {
    if (!this.#subscriptions.delete(channel)) return;
    if (this.#isGreeted) this.#connection.send("unsubscribe", { channel });
  }

  #lost(): void {
    this.#isGreeted = false;
    // The next socket subscribes to all of them again.
    this.#forgetWaits();
    for (const { subscription } of this.#subscriptions.values()) subscription.lost();
  }

  #forgetWaits(): void {
    for (const wait of this.#retryTimers) clearTimeout(wait);
    this.#retryTimers.clear();
  }
}

export function connectLive(options: ConnectionOptions): LiveClient {
  return new LiveClient(options);
}
