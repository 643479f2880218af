import type { components, MessageOf, Subscription } from "@livecore/client";
import type { LiveLink, Member } from "../site/connection.ts";
import { serverNow } from "../site/service-clock.ts";
import { HeldMessage } from "./held-message.ts";
import { Lines, lineOf, noticeOf } from "./lines.ts";
import { RoomFacts } from "./room-facts.ts";
import { RoomHistory } from "./room-history.ts";
import { RoomPoll } from "./room-poll.ts";

type Schemas = components["schemas"];
export type Modes = Schemas["ChatModes"];
export type Waits = MessageOf<"room.standing">["data"]["waits"];
type Role = MessageOf<"room.standing">["data"]["role"];
/** A message that isn't in the room yet. */
export type Sending = { no: number; username: string; text: string };
/** Which messages of a room that is faster than anybody reads are shown. */
export type Sampling = {
  takes(message: Schemas["ChatMessage"]): boolean;
  /** What was missed comes now, all at once. */
  subscribed(): void;
};
type Connection = "connecting" | "live" | "lost" | "gone";
type Shown = "connection" | "modes" | "waits" | "sending" | "role" | "slowUntil";

/**
 * What else of the page follows the room, such as its raids: it is given each subscription. Returns what ends its handlers on that, which
 * other parts of the page may follow for longer.
 */
export type RoomPart = { follow(topic: Subscription<`chat:${string}`>): (() => void)[] };

/** A message that takes longer is shown as on its way. */
const SENDING_AFTER_MS = 300;
const NOTICES = [
  ...(["subscription.started", "subscription.gifted", "tip.received"] as const),
  ...(["redemption.created", "raid.incoming", "chat.cleared"] as const),
];

/**
 * A room's state for the view. Events are applied at once, but `change` is called at most once per animation frame, so a busy
 * room renders no more often than the screen.
 */
export class Room {
  readonly lines: Lines;
  readonly facts: RoomFacts;
  readonly polls: RoomPoll;
  connection: Connection = "connecting";
  /** Whether its latest messages were read: what has no line until then may have some. */
  hasHistory = false;
  modes: Modes | null = null;
  /** What keeps the user from writing; null while nobody is signed in, or it isn't known. */
  waits: Waits | null = null;
  /** Oldest first. The client refuses more than a bounded number. */
  sending: readonly Sending[] = [];
  /** When slow mode lets the user send again, Unix ms; null if it doesn't keep them. */
  slowUntil: number | null = null;
  role: Role = null;
  #lastSending = 0;
  readonly #held = new HeldMessage(() => this.#change(() => undefined));
  #member: Member;
  readonly streamId: string;
  readonly #onChange: () => void;
  readonly #onEnd: () => void;
  readonly #onEmotes: () => void;
  #link: LiveLink;
  #topic: Subscription<`chat:${string}`>;
  #own: Subscription<"user"> | null = null;
  /** What ends the handlers on the room and on the user's own events, which others may follow too. */
  readonly #ends: (() => void)[] = [];
  #isScheduled = false;
  #isClosed = false;
  readonly #history: RoomHistory;
  readonly #parts: readonly RoomPart[];
  readonly #sampling: Sampling | undefined;

  /** Follows the room until `close`. `end`: the service doesn't accept this member any more. */
  constructor(
    member: Member,
    streamId: string,
    on: { change: () => void; end: () => void; emotes?: () => void },
    {
      parts = [],
      sampling,
      ...options
    }: { marksDeleted?: boolean; parts?: readonly RoomPart[]; sampling?: Sampling } = {},
  ) {
    const client = () => this.#member.client;
    const change = () => this.#change(() => undefined);
    this.lines = new Lines(options);
    this.facts = new RoomFacts(streamId, this.lines, { client, change });
    this.polls = new RoomPoll(streamId, { member: () => this.#member, change });
    this.#history = new RoomHistory(streamId, client);
    this.#parts = parts;
    this.#sampling = sampling;
    this.#member = member;
    this.streamId = streamId;
    this.#onChange = on.change;
    this.#onEnd = on.end;
    this.#onEmotes = on.emotes ?? (() => undefined);
    this.#link = this.#connect();
    this.#topic = this.#subscribe(undefined);
    this.#subscribeOwn();
  }

  close(): void {
    this.#unfollow();
    this.#link.close();
    this.#held.forget();
    this.facts.close();
    this.polls.close();
    this.#isClosed = true;
  }

  /** What became of the user's last message, if a moderator decides about it. */
  get held(): HeldMessage["outcome"] {
    return this.#held.outcome;
  }

  /** Whether the user moderates it. */
  get isModerated(): boolean {
    return this.role !== null && this.role !== "vip";
  }

  /** Removes a message before the service has said so. Returns what puts it back. */
  removeForNow(uuid: string): () => void {
    const putBack = this.lines.removeForNow(uuid);
    this.#change(() => undefined);
    return () => this.#change(putBack);
  }

  /** Continues as another user, from the current position. */
  switchUser(member: Member): void {
    const [before, after] = [this.#link, this.#topic.position ?? undefined];
    this.#unfollow();
    this.#member = member;
    this.#link = this.#connect();
    this.#held.forget();
    this.#stand({ role: null, waits: null });
    before.close();
    this.#topic = this.#subscribe(after);
    this.#subscribeOwn();
  }

  /** The topics are left with the link. */
  #unfollow(): void {
    for (const end of this.#ends.splice(0)) end();
    this.#own = null;
  }

  /** The room doesn't exist any more, or may not be read. */
  end(): void {
    this.#set({ connection: "gone" });
  }

  /** Throws the LivecoreError that refused it. */
  async say(text: string, username: string, replyToId?: string): Promise<void> {
    this.#held.begin();
    const line = { no: ++this.#lastSending, username, text };
    const slow = setTimeout(() => this.#set({ sending: [...this.sending, line] }), SENDING_AFTER_MS);
    try {
      const reply = replyToId === undefined ? {} : { replyToId };
      const answer = await this.#link.live.say(this.streamId, text, reply);
      if ("held" in answer && answer.held) this.#held.waitFor(answer.id);
      if (!("held" in answer) || answer.held) this.#slowDown();
    } finally {
      clearTimeout(slow);
      this.#set({ sending: this.sending.filter((one) => one !== line) });
    }
  }

  /** Staff are slowed down like everybody. */
  #slowDown(): void {
    const seconds = this.role === null || this.role === "staff" ? (this.modes?.slow ?? null) : null;
    this.#set({ slowUntil: seconds === null ? null : serverNow() + seconds * 1_000 });
  }

  #connect(): LiveLink {
    const link = this.#member.connect({
      lost: () => {
        if (this.#link !== link) return;
        // What has no position yet can't be resumed.
        if (this.#topic.position === null || this.#own?.position === null) this.#held.missed();
        this.#set({ connection: "lost" });
      },
      end: () => {
        if (this.#link === link) this.#onEnd();
      },
      // A socket would notice much later that there is no network.
      offline: (isOffline) => {
        if (isOffline && this.connection === "live") this.#set({ connection: "lost" });
      },
    });
    return link;
  }

  #subscribe(after: string | undefined): Subscription<`chat:${string}`> {
    const topic = this.#link.live.subscribe(`chat:${this.streamId}`, after);
    topic.onRefused = () => this.end();
    this.#ends.push(
      topic.on("subscribed", ({ data: { recovered, state } }) => {
        this.#sampling?.subscribed();
        this.#set({ connection: "live", modes: state.modes ?? this.modes });
        this.#stand({ role: state.role ?? null, waits: state.waits ?? null });
        if (recovered === false) this.#held.missed();
        if (recovered !== true) this.#readAgain();
      }),
      topic.on("room.epoch", ({ data }) => {
        if (data.continuous) return;
        this.#held.missed();
        this.#readAgain();
      }),
      topic.on("room.standing", ({ data }) => this.#stand(data)),
      topic.on("chat.message", ({ data }) => this.#add(data)),
      topic.on("chat.message_deleted", ({ data }) => this.#mutate((lines) => lines.removeMessage(data.uuid))),
      topic.on("chat.cleared", () => this.#mutate((lines) => lines.clear())),
      topic.on("chat.user_banned", ({ data }) => this.#mutate((lines) => lines.removeAuthor(data.user_id))),
      topic.on("chat.user_timed_out", ({ data }) =>
        this.#mutate((lines) => lines.removeAuthor(data.user_id)),
      ),
      topic.on("chat.modes", ({ data }) =>
        this.#set({ modes: data, ...(data.slow === null && { slowUntil: null }) }),
      ),
      topic.on("chat.config", ({ data }) => data.changed === "emotes" && this.#onEmotes()),
      ...[this.facts, this.polls, ...this.#parts].flatMap((part) => part.follow(topic)),
      ...NOTICES.map((type) =>
        topic.on(type, (event: MessageOf<typeof type>) => {
          const notice = noticeOf(event, topic.position);
          this.#mutate((lines) => lines.add(notice));
        }),
      ),
    );
    // Another part of the page follows it already: what that was told isn't told again.
    if (topic.isLive) {
      this.#set({ connection: "live" });
      this.#readAgain();
    }
    return topic;
  }

  /** The user's own events, which say what became of a held message. */
  #subscribeOwn(): void {
    if (!this.#member.isUser) return;
    const own = this.#link.live.subscribe("user");
    this.#own = own;
    this.#ends.push(...this.#held.follow(own));
  }

  #stand({ role, waits }: { role: Role; waits: Waits | null }): void {
    const slow = waits?.slow_ms ?? null;
    this.#set({ role, waits, slowUntil: slow === null ? null : serverNow() + slow });
  }

  #add(message: Schemas["ChatMessage"]): void {
    this.#held.seen(message.uuid);
    if (this.#sampling?.takes(message) === false) return;
    if (!message.is_deleted) this.#mutate((lines) => lines.add(lineOf(message)));
  }

  #mutate(change: (lines: Lines) => void): void {
    this.#history.changed(change);
    this.#change(() => change(this.lines));
  }

  /** After a gap, and at the start. */
  #readAgain(): void {
    void this.facts.read().then((room) => room && this.#beginAs(room));
    const seen = ({ uuid }: Schemas["ChatMessage"]) => this.#held.seen(uuid);
    void this.#history
      .read((messages) => messages.forEach(seen))
      .then((change) => {
        // Without history the room simply continues.
        if (!change) return;
        this.hasHistory = true;
        this.#change(() => change(this.lines));
      });
  }

  /** Unless an event has said it, which is newer. */
  #beginAs({ modes, role, restriction }: Schemas["ChatRoom"]): void {
    if (this.modes === null) this.#set({ modes });
    if (this.waits !== null || !this.#member.isUser) return;
    const banned = restriction?.type === "ban";
    this.#stand({ role, waits: { banned, timed_out_until: restriction?.expires_at ?? null, slow_ms: null } });
  }

  #set(changed: Partial<Pick<Room, Shown>>): void {
    this.#change(() => Object.assign(this, changed));
  }

  #change(change: () => void): void {
    change();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      if (!this.#isClosed) this.#onChange();
    });
  }
}
