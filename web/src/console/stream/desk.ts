import { signal } from "@preact/signals";
import { type Poll, RoomPoll } from "../../chat/room-poll.ts";
import { ChannelPrediction } from "../../points/prediction.ts";
import { OutgoingRaid } from "../../raids/outgoing-raid.ts";
import type { LiveLink, Member } from "../../site/connection.ts";

/** The owner isn't taken along by raids of their own channel. */
const staysHere = (): void => undefined;

/**
 * What the panels of the stream page follow of one's own channel: prediction, poll, raid and viewers, whoever changes them. It is made
 * before the page's chat, so that it hears what the room says of its state first.
 */
export class Desk {
  readonly streamId: string;
  readonly viewers = signal(0);
  readonly prediction: ChannelPrediction;
  /** The open one, or the last one while its result is shown. */
  readonly poll = signal<Poll | null>(null);
  /** The last one that was shown; null before the first while this page is open. */
  readonly lastPoll = signal<Poll | null>(null);
  readonly polls: RoomPoll;
  readonly raid: OutgoingRaid;
  readonly #link: LiveLink;
  readonly #ends: (() => void)[];

  /** Follows the channel until `close`. */
  constructor(member: Member, streamId: string) {
    this.streamId = streamId;
    this.prediction = new ChannelPrediction(member.client, streamId);
    this.polls = new RoomPoll(streamId, { member: () => member, change: () => this.#pollChanged() });
    this.raid = new OutgoingRaid(streamId, staysHere);
    this.#link = member.connect();
    const room = this.#link.live.subscribe(`chat:${streamId}`);
    const viewers = this.#link.live.subscribe(`viewers:${streamId}`);
    this.#ends = [
      ...[this.prediction, this.polls, this.raid].flatMap((part) => part.follow(room)),
      viewers.on("subscribed", ({ data: { state } }) => this.#viewersAre(state.viewer_count)),
      viewers.on("viewers.count", ({ data }) => this.#viewersAre(data.viewer_count)),
      viewers.on("stream.offline", () => this.#viewersAre(0)),
    ];
  }

  close(): void {
    for (const end of this.#ends) end();
    this.prediction.close();
    this.polls.close();
    this.raid.close();
    this.#link.close();
  }

  #viewersAre(count: number | undefined): void {
    if (count !== undefined) this.viewers.value = count;
  }

  #pollChanged(): void {
    const { poll } = this.polls;
    this.poll.value = poll;
    if (poll) this.lastPoll.value = poll;
  }
}
