/** How long moderators may decide, and a moment for the message to come. */
const DECIDED_WITHIN_MS = 5 * 60_000 + 10_000;

/**
 * The user's last message that waits for a moderator. An approved one appears in the room under its id. Without word of the
 * decision, as from a service of the release before, one that hasn't appeared in time never does.
 */
export class HeldMessage {
  outcome: "waiting" | "denied" | null = null;
  #id: string | null = null;
  #over: ReturnType<typeof setTimeout> | undefined;
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  waitFor(id: string): void {
    this.#become(id, "waiting");
    this.#over = setTimeout(() => this.#become(null, "denied"), DECIDED_WITHIN_MS);
  }

  /** A message of that id is in the room. */
  seen(id: string): void {
    if (id === this.#id) this.forget();
  }

  decided(id: string, isApproved: boolean): void {
    if (id !== this.#id) return;
    if (isApproved) this.forget();
    else this.#become(null, "denied");
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
