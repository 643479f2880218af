import type { UserEvent } from "../../rooms/user-events.ts";
import { relayed } from "../socket/frames.ts";

/** Changes within so long are put into order: two causes of one balance publish independently of each other. */
const GATHER_MS = 100;
/** Of balances that changed lately, and changes held at a time; past it they go out as they came. */
const MAX_REMEMBERED = 10_000;
const MAX_HELD = 10_000;

type Versioned = { userId: string; key: string; version: number; text: string };

/**
 * A user's own events on their way to the user's sockets. Changes of one balance carry a rising `version`: they are held
 * for at most 100 ms and go out in its order; one that comes later than a newer one is dropped, since its balance is no
 * longer true. All else goes at once.
 */
export class PrivateEvents {
  readonly #send: (userId: string, text: string) => void;
  readonly #isHere: (userId: string) => boolean;
  readonly #sent = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #held: Versioned[] = [];

  /** `send` brings a message to the user's sockets of this worker, of which `isHere` says whether there are any. */
  constructor(deps: { send(userId: string, text: string): void; isHere(userId: string): boolean }) {
    this.#send = deps.send;
    this.#isHere = deps.isHere;
    this.#timer = setInterval(() => this.#flush(), GATHER_MS);
  }

  receive({ userId, type, data }: UserEvent): void {
    if (!this.#isHere(userId)) return;
    const text = relayed(type, "user", data);
    const change = type === "points.changed" ? versionOf(data) : null;
    if (change && this.#held.length < MAX_HELD) {
      this.#held.push({ userId, key: `${userId} ${change.account}`, version: change.version, text });
    } else {
      this.#send(userId, text);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#flush();
  }

  #flush(): void {
    const held = this.#held.sort((a, b) => a.version - b.version);
    this.#held = [];
    for (const { userId, key, version, text } of held) {
      if (version <= (this.#sent.get(key) ?? 0)) continue;
      this.#sent.delete(key);
      this.#sent.set(key, version);
      this.#send(userId, text);
    }
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= MAX_REMEMBERED) break;
      this.#sent.delete(oldest);
    }
  }
}

/** Null for a change that an older release published, without a version. */
function versionOf(data: unknown): { account: string; version: number } | null {
  if (typeof data !== "object" || data === null) return null;
  if (!("version" in data) || !("channel_user_id" in data)) return null;
  const { version, channel_user_id: account } = data;
  return typeof version === "number" && typeof account === "string" ? { account, version } : null;
}
