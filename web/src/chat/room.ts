import type { components, MessageOf, Subscription } from "@livecore/client";
import type { LiveLink, Member } from "../own-link.ts";
import { HeldMessage } from "./held-message.ts";
import { Lines, lineOf, noticeOf } from "./lines.ts";

type Schemas = components["schemas"];
export type Modes = Schemas["ChatModes"];
export type Poll = Schemas["ChatPoll"];
export type Waits = MessageOf<"room.standing">["data"]["waits"];
type Role = MessageOf<"room.standing">["data"]["role"];
/** A message that isn't in the room yet. */
export type Sending = { no: number; username: string; text: string };
type Connection = "connecting" | "live" | "lost" | "gone";

const HISTORY = 50;
/** How long a poll's result is shown. */
const RESULT_MS = 20_000;
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
  readonly lines = new Lines();
  connection: Connection = "connecting";
  modes: Modes | null = null;
  poll: Poll | null = null;
  /** What keeps the user from writing; null while nobody is signed in, or it isn't known. */
  waits: Waits | null = null;
  /** Oldest first. The client refuses more than a bounded number. */
  sending: readonly Sending[] = [];
  #role: Role = null;
  #lastSending = 0;
  readonly #held = new HeldMessage(() => this.#change(() => undefined));
  #member: Member;
  readonly #streamId: string;
  readonly #onChange: () => void;
  readonly #onEnd: () => void;
  #link: LiveLink;
  #topic: Subscription<`chat:${string}`>;
  #own: Subscription<"user"> | null = null;
  /** What ends the handlers on the user's own events, which others may follow too. */
  #ownHandlers: (() => void)[] = [];
  #isScheduled = false;
  #isClosed = false;
  #resultEnds: ReturnType<typeof setTimeout> | undefined;
  /** Changes of the lines since history was requested; null when no request is pending. */
  #changesSinceHistory: ((lines: Lines) => void)[] | null = null;

  /** Follows the room until `close`. `end`: the service doesn't accept this member any more. */
  constructor(member: Member, streamId: string, on: { change: () => void; end: () => void }) {
    this.#member = member;
    this.#streamId = streamId;
    this.#onChange = on.change;
    this.#onEnd = on.end;
    this.#link = this.#connect();
    this.#topic = this.#subscribe(undefined);
    this.#subscribeOwn();
  }

  close(): void {
    this.#leaveTopics();
    this.#link.close();
    this.#held.forget();
    clearTimeout(this.#resultEnds);
    this.#isClosed = true;
  }

  /** What became of the user's last message, if a moderator decides about it. */
  get held(): HeldMessage["outcome"] {
    return this.#held.outcome;
  }

  /** Whether the user moderates it. */
  get isModerated(): boolean {
    return this.#role !== null && this.#role !== "vip";
  }

  /** Continues as another user, from the current position. */
  switchUser(member: Member): void {
    const [before, after] = [this.#link, this.#topic.position ?? undefined];
    this.#leaveTopics();
    this.#member = member;
    this.#link = this.#connect();
    this.#held.forget();
    this.#stand({ role: null, waits: null });
    before.close();
    this.#topic = this.#subscribe(after);
    this.#subscribeOwn();
  }

  #leaveTopics(): void {
    this.#topic.leave();
    for (const remove of this.#ownHandlers.splice(0)) remove();
    this.#own = null;
  }

  /** The room doesn't exist any more, or may not be read. */
  end(): void {
    this.#set({ connection: "gone" });
  }

  /** Throws the LivecoreError that refused it. */
  async say(text: string, username: string): Promise<void> {
    this.#held.begin();
    const line = { no: ++this.#lastSending, username, text };
    const slow = setTimeout(() => this.#set({ sending: [...this.sending, line] }), SENDING_AFTER_MS);
    try {
      const answer = await this.#link.live.say(this.#streamId, text);
      if ("held" in answer && answer.held) this.#held.waitFor(answer.id);
    } finally {
      clearTimeout(slow);
      this.#set({ sending: this.sending.filter((one) => one !== line) });
    }
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
    const topic = this.#link.live.subscribe(`chat:${this.#streamId}`, after);
    topic.onRefused = () => this.end();
    topic.on("subscribed", ({ data: { recovered, state } }) => {
      this.#set({ connection: "live", modes: state.modes ?? this.modes });
      this.#stand({ role: state.role ?? null, waits: state.waits ?? null });
      if (state.poll !== undefined) this.#setPoll(state.poll);
      if (recovered === false) this.#held.missed();
      if (recovered !== true) void this.#readHistory();
    });
    topic.on("room.epoch", ({ data }) => {
      if (data.continuous) return;
      this.#held.missed();
      void this.#readHistory();
    });
    topic.on("room.standing", ({ data }) => this.#stand(data));
    topic.on("chat.message", ({ data }) => this.#add(data));
    topic.on("chat.message_deleted", ({ data }) => this.#mutate((lines) => lines.removeMessage(data.uuid)));
    topic.on("chat.cleared", () => this.#mutate((lines) => lines.clear()));
    topic.on("chat.user_banned", ({ data }) => this.#mutate((lines) => lines.removeAuthor(data.user_id)));
    topic.on("chat.user_timed_out", ({ data }) => this.#mutate((lines) => lines.removeAuthor(data.user_id)));
    topic.on("chat.modes", ({ data }) => this.#set({ modes: data }));
    for (const type of ["chat.poll", "chat.poll_progress", "chat.poll_ended"] as const)
      topic.on(type, ({ data }: MessageOf<typeof type>) => this.#setPoll(data));
    for (const type of NOTICES)
      topic.on(type, (event: MessageOf<typeof type>) => {
        const notice = noticeOf(event, topic.position);
        this.#mutate((lines) => lines.add(notice));
      });
    return topic;
  }

  /** The user's own events, which say what became of a held message. */
  #subscribeOwn(): void {
    if (!this.#member.isUser) return;
    const own = this.#link.live.subscribe("user");
    this.#own = own;
    this.#ownHandlers.push(
      own.on("subscribed", ({ data }) => data.recovered === false && this.#held.missed()),
      own.on("room.epoch", ({ data }) => data.continuous || this.#held.missed()),
      own.on("chat.held_resolved", ({ data: { id, outcome } }) =>
        this.#held.decided(id, outcome === "approved"),
      ),
    );
  }

  #stand({ role, waits }: { role: Role; waits: Waits | null }): void {
    this.#role = role;
    this.#set({ waits });
  }

  #add(message: Schemas["ChatMessage"]): void {
    this.#held.seen(message.uuid);
    if (!message.is_deleted) this.#mutate((lines) => lines.add(lineOf(message)));
  }

  #mutate(change: (lines: Lines) => void): void {
    this.#changesSinceHistory?.push(change);
    this.#change(() => change(this.lines));
  }

  /**
   * Replaces the lines by history: after a gap nothing else says which of the earlier lines were deleted. Changes since the
   * request are applied again, since the history may be older than they are.
   */
  async #readHistory(): Promise<void> {
    const changes: ((lines: Lines) => void)[] = [];
    this.#changesSinceHistory = changes;
    const read = await this.#member.client
      .attempt("listChatMessages", { path: { stream_id: this.#streamId }, query: { limit: HISTORY } })
      .catch(() => null);
    // In any case: what was approved in the gap.
    if (read?.ok) for (const { uuid } of read.data.items) this.#held.seen(uuid);
    // Superseded: another gap has requested history again.
    if (this.#changesSinceHistory !== changes) return;
    this.#changesSinceHistory = null;
    // Without history the room simply continues.
    if (!read?.ok) return;
    const messages = read.data.items.filter((message) => !message.is_deleted);
    this.#change(() => {
      this.lines.clear();
      for (const message of messages) this.lines.add(lineOf(message));
      for (const change of changes) change(this.lines);
    });
  }

  #setPoll(poll: Poll | null): void {
    clearTimeout(this.#resultEnds);
    this.#set({ poll });
    if (poll && poll.status !== "active")
      this.#resultEnds = setTimeout(() => this.#set({ poll: null }), RESULT_MS);
  }

  #set(changed: Partial<Pick<Room, "connection" | "modes" | "poll" | "waits" | "sending">>): void {
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
