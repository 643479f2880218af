import type { LivecoreError } from "../rest/errors.ts";
import type { MessageOf, ServerMessage, Topic, TypesOn } from "./messages.ts";
import { Place } from "./place.ts";

/** Refusals of a subscription after which it is tried again. */
export const isPassing = ({ code, details }: LivecoreError): boolean =>
  code === "unavailable" || (code === "rate_limited" && details.bucket !== "channels");

type Handler = (message: ServerMessage) => void;

/** What one topic brings, by type; it keeps its place through lost sockets. */
export class Subscription<T extends Topic> {
  #topic: T;
  /** Called with the refusal that ended it: a room that there isn't, or `user` without signing in. */
  onRefused: ((error: LivecoreError) => void) | null = null;
  #place: Place;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #leave: (topic: T) => void;
  #isLive = false;

  constructor(topic: T, { after, onLeave }: { after: string | undefined; onLeave: (topic: T) => void }) {
    this.#topic = topic;
    this.#place = new Place(after);
    this.#leave = onLeave;
  }

  /** Another one after a raid has taken it along. */
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

  /** Calls `handler` with each message of a type, in their order; returns how to stop that. */
  on<Type extends TypesOn<T>>(type: Type, handler: (message: MessageOf<Type>) => void): () => void {
    const handlers = this.#handlers.get(type) ?? new Set();
    // Kept under its type, so it hears no other.
    handlers.add(handler as Handler);
    this.#handlers.set(type, handlers);
    return () => void handlers.delete(handler as Handler);
  }

  /** Follows the topic no longer. */
  leave(): void {
    this.#isLive = false;
    this.#leave(this.#topic);
  }

  /** For the client that it belongs to. */
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

  /** For the client that it belongs to: it is of another topic of the same kind, from whose `subscribed` on. */
  move(topic: T): void {
    this.#topic = topic;
    this.#place = new Place();
    this.#isLive = false;
  }

  /** For the client that it belongs to: its socket is gone. */
  lost(): void {
    this.#isLive = false;
  }

  /** For the client that it belongs to: it was refused, and isn't asked for again. */
  end(error: LivecoreError): void {
    this.#isLive = false;
    this.onRefused?.(error);
  }
}
