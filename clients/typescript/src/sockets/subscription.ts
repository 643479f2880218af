import type { LivecoreError } from "../rest/errors.ts";
import { LogPosition } from "./log-position.ts";
import type { MessageOf, ServerMessage, Topic, TypesOn } from "./messages.ts";

/** Whether a refused subscription is retried. */
export const isPassing = ({ code, details }: LivecoreError): boolean =>
  code === "unavailable" || (code === "rate_limited" && details.bucket !== "channels");

type Handler = (message: ServerMessage) => void;

/** The messages of one topic, by type. It keeps its position across reconnects. */
export class Subscription<T extends Topic> {
  #topic: T;
  /** Called with the refusal that ended it: the room doesn't exist, or `user` without being signed in. */
  onRefused: ((error: LivecoreError) => void) | null = null;
  #place: LogPosition;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #leave: (topic: T) => void;
  #isLive = false;

  constructor(topic: T, { after, onLeave }: { after: string | undefined; onLeave: (topic: T) => void }) {
    this.#topic = topic;
    this.#place = new LogPosition(after);
    this.#leave = onLeave;
  }

  /** Changes when a raid has moved the subscription. */
  get topic(): T {
    return this.#topic;
  }

  /** The last event seen, "<epoch>:<seq>"; null before the first `subscribed`, and on topics without a log. */
  get position(): string | null {
    return this.#place.cursor;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  /** Calls `handler` with each message of a type, in order; returns a function that removes it. */
  on<Type extends TypesOn<T>>(type: Type, handler: (message: MessageOf<Type>) => void): () => void {
    const handlers = this.#handlers.get(type) ?? new Set();
    // Stored under its type, so it receives no other.
    handlers.add(handler as Handler);
    this.#handlers.set(type, handlers);
    return () => void handlers.delete(handler as Handler);
  }

  /** Unsubscribes. */
  leave(): void {
    this.#isLive = false;
    this.#leave(this.#topic);
  }

  /** Internal, for the client that owns it. */
  receive(message: ServerMessage): void {
    this.#place.see(message);
    if (message.type === "subscribed") this.#isLive = true;
    const failures: unknown[] = [];
    for (const handler of this.#handlers.get(message.type) ?? []) {
      try {
        handler(message);
      } catch (err) {
        failures.push(err);
      }
    }
    if (failures.length > 1) throw new AggregateError(failures, "handlers failed");
    if (failures.length > 0) throw failures[0];
  }

  /** Internal, for the client that owns it: moves it to another topic of the same kind, which begins with its `subscribed`. */
  move(topic: T): void {
    this.#topic = topic;
    this.#place = new LogPosition();
    this.#isLive = false;
  }

  /** Internal, for the client that owns it: the socket is lost. */
  lost(): void {
    this.#isLive = false;
  }

  /** Internal, for the client that owns it: the subscription was refused for good. */
  end(error: LivecoreError): void {
    this.#isLive = false;
    this.onRefused?.(error);
  }
}
