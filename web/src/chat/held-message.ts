import type { Subscription } from "@livecore/client";

/** How long moderators may decide, and a moment for the message to come. */
const DECIDED_WITHIN_MS = 5 * 60_000 + 10_000;
/** A message's decision may come before the answer to its sending: this many ids of the room's messages are remembered. */
const SEEN_IDS = 500;
/** Of decisions only those about the user's own messages come. */
const DECIDED_IDS = 20;

/**
 * The user's last message that waits for a moderator. An approved one appears in the room under its id. Without word of the
 * decision, as from a service of the release before, one that hasn't appeared in time never does; after a gap it isn't known.
 */
export class HeldMessage {
  outcome: "waiting" | "denied" | "unknown" | null = null;
  #id: string | null = null;
  #over: ReturnType<typeof setTimeout> | undefined;
  /** Whether events were missed since the message was sent. */
  #hasGap = false;
  /** By id, whether it was approved. */
  readonly #decided = new Map<string, boolean>();
  readonly #seen = new Map<string, true>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The user's own events, which say what became of it. Returns what ends that. */
  follow(own: Subscription<"user">): (() => void)[] {
    return [
      own.on("subscribed", ({ data }) => data.recovered === false && this.missed()),
      own.on("room.epoch", ({ data }) => data.continuous || this.missed()),
      own.on("chat.held_resolved", ({ data: { id, outcome } }) => this.decided(id, outcome === "approved")),
    ];
  }

  /** The user sends another message. */
  begin(): void {
    this.#hasGap = false;
    this.forget();
  }

  waitFor(id: string): void {
    const isApproved = this.#seen.has(id) ? true : this.#decided.get(id);
    if (isApproved !== undefined) {
      this.#become(null, isApproved ? null : "denied");
      return;
    }
    this.#become(id, "waiting");
    this.#over = setTimeout(() => this.#become(null, this.#hasGap ? "unknown" : "denied"), DECIDED_WITHIN_MS);
  }

  /** A message of that id is in the room. */
  seen(id: string): void {
    remember(this.#seen, id, true, SEEN_IDS);
    if (id === this.#id) this.forget();
  }

  decided(id: string, isApproved: boolean): void {
    remember(this.#decided, id, isApproved, DECIDED_IDS);
    if (id !== this.#id) return;
    if (isApproved) this.forget();
    else this.#become(null, "denied");
  }

  /** Events of the room, or of the user, were missed, and a decision may be among them. */
  missed(): void {
    this.#hasGap = true;
  }

  forget(): void {
    this.#become(null, null);
  }

  #become(id: string | null, outcome: HeldMessage["outcome"]): void {
    clearTimeout(this.#over);
    this.#id = id;
    this.outcome = outcome;
    this.#onChange();
  }
}

/** Keeps the newest of them. */
function remember<Value>(known: Map<string, Value>, id: string, value: Value, most: number): void {
  known.set(id, value);
  const [oldest] = known.keys();
  if (known.size > most && oldest !== undefined) known.delete(oldest);
}
