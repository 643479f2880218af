import type { components, LiveClient, LivecoreClient, MessageOf, Subscription } from "@livecore/client";
import { followNetwork } from "../network.ts";
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
  #client: LivecoreClient;
  readonly #streamId: string;
  readonly #onChange: () => void;
  readonly #onEnd: () => void;
  #live: LiveClient;
  #topic: Subscription<`chat:${string}`>;
  #own: Subscription<"user"> | null = null;
  #isScheduled = false;
  #resultEnds: ReturnType<typeof setTimeout> | undefined;
  /** Changes of the lines since history was requested; null when no request is pending. */
  #meanwhile: ((lines: Lines) => void)[] | null = null;

  /** Follows the room until the page is closed. `end`: the service doesn't accept this client any more. */
  constructor(client: LivecoreClient, streamId: string, on: { change: () => void; end: () => void }) {
    this.#client = client;
    this.#streamId = streamId;
    this.#onChange = on.change;
    this.#onEnd = on.end;
    this.#live = this.#connect();
    this.#topic = this.#hear(undefined);
    followNetwork(
      () => this.#live,
      (isOffline) => {
        if (isOffline && this.connection === "live") this.#set({ connection: "lost" });
      },
    );
  }

  /** What became of the user's last message, if a moderator decides about it. */
  get held(): HeldMessage["outcome"] {
    return this.#held.outcome;
  }

  /** Whether the user moderates it. */
  get isModerated(): boolean {
    return this.#role !== null && this.#role !== "vip";
  }

  /** Continues as another user, from the current position. `isUser`: not as a reader without an account. */
  become(client: LivecoreClient, isUser: boolean): void {
    const [before, after] = [this.#live, this.#topic.position ?? undefined];
    this.#client = client;
    this.#live = this.#connect();
    this.#held.forget();
    this.#stand({ role: null, waits: null });
    before.close();
    this.#topic = this.#hear(after);
    this.#own = isUser ? this.#hearOwn() : null;
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
      const answer = await this.#live.say(this.#streamId, text);
      if ("held" in answer && answer.held) this.#held.waitFor(answer.id);
    } finally {
      clearTimeout(slow);
      this.#set({ sending: this.sending.filter((one) => one !== line) });
    }
  }

  #connect(): LiveClient {
    const live = this.#client.live({
      onLost: () => {
        if (this.#live !== live) return;
        // What has no position yet can't be resumed.
        if (this.#topic.position === null || this.#own?.position === null) this.#held.missed();
        this.#set({ connection: "lost" });
      },
      onEnd: () => {
        if (this.#live === live) this.#onEnd();
      },
    });
    return live;
  }

  #hear(after: string | undefined): Subscription<`chat:${string}`> {
    const topic = this.#live.subscribe(`chat:${this.#streamId}`, after);
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
    topic.on("chat.message_deleted", ({ data }) => this.#alter((lines) => lines.removeMessage(data.uuid)));
    topic.on("chat.cleared", () => this.#alter((lines) => lines.clear()));
    topic.on("chat.user_banned", ({ data }) => this.#alter((lines) => lines.removeAuthor(data.user_id)));
    topic.on("chat.user_timed_out", ({ data }) => this.#alter((lines) => lines.removeAuthor(data.user_id)));
    topic.on("chat.modes", ({ data }) => this.#set({ modes: data }));
    for (const type of ["chat.poll", "chat.poll_progress", "chat.poll_ended"] as const)
      topic.on(type, ({ data }: MessageOf<typeof type>) => this.#setPoll(data));
    for (const type of NOTICES)
      topic.on(type, (event: MessageOf<typeof type>) => {
        const notice = noticeOf(event, topic.position);
        this.#alter((lines) => lines.add(notice));
      });
    return topic;
  }

  /** The user's own events, which say what became of a held message. */
  #hearOwn(): Subscription<"user"> {
    const own = this.#live.subscribe("user");
    own.on("subscribed", ({ data }) => data.recovered === false && this.#held.missed());
    own.on("room.epoch", ({ data }) => data.continuous || this.#held.missed());
    own.on("chat.held_resolved", ({ data: { id, outcome } }) =>
      this.#held.decided(id, outcome === "approved"),
    );
    return own;
  }

  #stand({ role, waits }: { role: Role; waits: Waits | null }): void {
    this.#role = role;
    this.#set({ waits });
  }

  #add(message: Schemas["ChatMessage"]): void {
    this.#held.seen(message.uuid);
    if (!message.is_deleted) this.#alter((lines) => lines.add(lineOf(message)));
  }

  #alter(change: (lines: Lines) => void): void {
    this.#meanwhile?.push(change);
    this.#change(() => change(this.lines));
  }

  /**
   * Replaces the lines by history: after a gap nothing else says which of the earlier lines were deleted. Changes since the
   * request are applied again, since the history may be older than they are.
   */
  async #readHistory(): Promise<void> {
    const meanwhile: ((lines: Lines) => void)[] = [];
    this.#meanwhile = meanwhile;
    const read = await this.#client
      .attempt("listChatMessages", { path: { stream_id: this.#streamId }, query: { limit: HISTORY } })
      .catch(() => null);
    // In any case: what was approved in the gap.
    if (read?.ok) for (const { uuid } of read.data.items) this.#held.seen(uuid);
    // Superseded: another gap has requested history again.
    if (this.#meanwhile !== meanwhile) return;
    this.#meanwhile = null;
    // Without history the room simply continues.
    if (!read?.ok) return;
    const messages = read.data.items.filter((message) => !message.is_deleted);
    this.#change(() => {
      this.lines.clear();
      for (const message of messages) this.lines.add(lineOf(message));
      for (const change of meanwhile) change(this.lines);
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
      this.#onChange();
    });
  }
}
