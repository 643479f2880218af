import { type components, LivecoreError, type MessageOf, type Subscription } from "@livecore/client";
import type { Member } from "../site/connection.ts";

export type Poll = components["schemas"]["ChatPoll"];

/** How long a poll's result is shown. */
const RESULT_MS = 20_000;

/** The poll of a room, and the user's own vote in it. */
export class RoomPoll {
  poll: Poll | null = null;
  /** The option for which the user has voted; null if they haven't, or it isn't known. */
  voted: string | null = null;
  readonly #streamId: string;
  readonly #member: () => Member;
  readonly #onChange: () => void;
  #resultEnds: ReturnType<typeof setTimeout> | undefined;

  constructor(streamId: string, on: { member: () => Member; change: () => void }) {
    this.#streamId = streamId;
    this.#member = on.member;
    this.#onChange = on.change;
  }

  /** Returns what ends that. */
  follow(topic: Subscription<`chat:${string}`>): (() => void)[] {
    return [
      topic.on("subscribed", ({ data: { state } }) => {
        if (state.poll === undefined) return;
        this.#set(state.poll);
        if (state.poll) void this.#readVote(state.poll.id);
      }),
      ...(["chat.poll", "chat.poll_progress", "chat.poll_ended"] as const).map((type) =>
        topic.on(type, ({ data }: MessageOf<typeof type>) => this.#set(data)),
      ),
    ];
  }

  close(): void {
    clearTimeout(this.#resultEnds);
  }

  /** As an answer of the service has it. That to opening a poll has no votes, so an event that came before says more. */
  known(poll: Poll): void {
    if (poll.id !== this.poll?.id || poll.status === "ended") this.#set(poll);
  }

  /** Shows the vote at once, and takes it back where it was refused. Throws the LivecoreError that refused it. */
  async vote(pollId: string, optionId: string): Promise<void> {
    this.#voted(pollId, optionId);
    try {
      const body = { option_id: optionId };
      this.#set(await this.#member().client.call("voteInPoll", { path: { poll_id: pollId }, body }));
    } catch (err) {
      const counted = err instanceof LivecoreError && err.code === "already_voted" && err.details.option_id;
      this.#voted(pollId, typeof counted === "string" ? counted : null);
      throw err;
    }
  }

  async #readVote(pollId: string): Promise<void> {
    const { client, isUser } = this.#member();
    if (!isUser) return;
    const path = { stream_id: this.#streamId };
    const answer = await client.attempt("getCurrentPoll", { path }).catch(() => null);
    // Without an answer a second vote is refused, and says for what the first one was.
    if (answer?.ok && answer.data.voted_option_id !== undefined)
      this.#voted(answer.data.id, answer.data.voted_option_id);
    if (answer?.ok && answer.data.id !== pollId) this.#set(answer.data);
  }

  #voted(pollId: string, optionId: string | null): void {
    if (this.poll?.id !== pollId) return;
    this.voted = optionId;
    this.#onChange();
  }

  #set(poll: Poll | null): void {
    const { poll: shown } = this;
    // An event about votes may be late.
    if (poll && shown?.id === poll.id && isOlder(poll, shown)) return;
    if (poll?.id !== shown?.id) this.voted = null;
    clearTimeout(this.#resultEnds);
    this.poll = poll;
    if (poll && poll.status !== "active") this.#resultEnds = setTimeout(() => this.#set(null), RESULT_MS);
    this.#onChange();
  }
}

const isOlder = (poll: Poll, shown: Poll): boolean =>
  poll.status === "active" &&
  (shown.status !== "active" || (poll.total_votes ?? 0) < (shown.total_votes ?? 0));
