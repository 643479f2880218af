/** The sender's role in the room; null for none. */
export type PlainRole = "owner" | "moderator" | "vip" | null;

export type PlainModes = {
  enabled: boolean;
  /** Seconds, and minutes; null for off. */
  slow: number | null;
  followers: number | null;
  emote: boolean;
  unique: boolean;
  shield: boolean;
};

/** A text with its properties. */
export type PlainText = {
  text: string;
  /** What is seen of it, by which repeats are known; if absent, the text. */
  seen?: string;
  /** The normal form that unique chat compares. */
  same: string;
  isEmotes?: true;
  hasLink?: true;
  term?: "block" | "hold";
};

type Sender = {
  role: PlainRole;
  /** Null for a user who doesn't follow. */
  followsSince: number | null;
  /** Until when; Infinity for a ban. */
  silencedUntil: number | null;
  sent: { at: number; seen: string }[];
  heldAt: number[];
};

const seenIn = ({ seen, text }: PlainText) => seen ?? text;

const HALF_MINUTE = 30_000;
const FIVE_MINUTES = 300_000;
const TEN_MINUTES = 600_000;

/** A model of a room's admission: applies the documented rules one after the other, in memory. */
export class PlainAdmission {
  modes: PlainModes = {
    enabled: true,
    slow: null,
    followers: null,
    emote: false,
    unique: false,
    shield: false,
  };
  readonly #senders = new Map<string, Sender>();
  readonly #messages: { at: number; same: string }[] = [];

  sender(userId: string): Sender {
    const sender = this.#senders.get(userId) ?? {
      role: null,
      followsSince: null,
      silencedUntil: null,
      sent: [],
      heldAt: [],
    };
    this.#senders.set(userId, sender);
    return sender;
  }

  send(userId: string, message: PlainText, now: number): string {
    const sender = this.sender(userId);
    const answer = this.#answer(sender, message, now);
    if (answer === "admitted" || answer === "held") {
      sender.sent.push({ at: now, seen: seenIn(message) });
      this.#messages.push({ at: now, same: message.same });
      if (answer === "held") sender.heldAt.push(now);
    }
    return answer;
  }

  #answer(sender: Sender, message: PlainText, now: number): string {
    const { role, silencedUntil } = sender;
    if (silencedUntil === Number.POSITIVE_INFINITY) return "banned";
    if (silencedUntil !== null && silencedUntil > now) return "timed_out";
    const recent = sender.sent.filter(({ at }) => at > now - HALF_MINUTE);
    if (recent.length >= (role ? 100 : 20)) return "rate_limited";
    if (!role && this.#sinceLast(sender, now) < 1_000) return "rate_limited";

    const { modes } = this;
    if (!modes.enabled) return "chat_disabled";
    const refusal = role ? null : this.#refusalOfModes(sender, now);
    if (refusal) return refusal;
    if (modes.emote && !message.isEmotes) return "emote_only";
    const moderates = role === "owner" || role === "moderator";
    if (message.term === "block" && !moderates) return "blocked_term";
    if ((modes.unique || modes.shield) && !role && this.#isRepeated(message, now)) return "duplicate_message";
    if (recent.some(({ seen }) => seen === seenIn(message))) return "duplicate_message";
    const isHeld = message.term === "hold" || (modes.shield && message.hasLink === true);
    if (!isHeld || moderates) return "admitted";
    return sender.heldAt.filter((at) => at > now - FIVE_MINUTES).length < 10 ? "held" : "rate_limited";
  }

  /** The modes that don't apply to users with a role. */
  #refusalOfModes(sender: Sender, now: number): string | null {
    const { slow, followers, shield } = this.modes;
    const slowSeconds = shield ? Math.max(slow ?? 0, 10) : (slow ?? 0);
    if (this.#sinceLast(sender, now) < slowSeconds * 1_000) return "slow_mode";
    const minutes = shield ? Math.max(followers ?? 0, 10) : followers;
    if (minutes !== null) {
      if (sender.followsSince === null) return "followers_only";
      if (now - sender.followsSince < minutes * 60_000) return "followers_only";
    }
    return shield && sender.sent.length === 0 ? "first_time_chatter" : null;
  }

  #sinceLast({ sent }: Sender, now: number): number {
    return now - (sent.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
  }

  #isRepeated({ same }: PlainText, now: number): boolean {
    return this.#messages.some((one) => one.same === same && one.at > now - TEN_MINUTES);
  }
}
