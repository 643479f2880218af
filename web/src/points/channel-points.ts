import type { components, MessageOf, Subscription } from "@livecore/client";
import { signal } from "@preact/signals";
import { AttemptKey } from "../site/attempt-key.ts";
import type { LiveLink, Member } from "../site/connection.ts";
import { retryWait } from "../site/retry-wait.ts";
import { say } from "../site/toasts.ts";
import { whenMissed } from "../site/user-topic.ts";
import { TEXTS } from "../texts/texts.ts";
import { Balance } from "./balance.ts";
import { ChannelPrediction } from "./prediction.ts";

type Schemas = components["schemas"];
type Redemption = Schemas["Redemption"];
/** Whose points these are. */
type PointsChannel = { userId: string; username: string; streamId: string };

const READ_AGAIN_MS = 10_000;
const TOO_MANY = 429;
const SERVER_ERRORS = 500;
const nothing = (): void => undefined;
/** Whether the socket is there is said beside, by the chat. */
const SAID_BY_THE_CHAT = { lost: nothing, end: nothing, offline: nothing };
/** Redemptions that changed while the page is open; the list has all. */
const MOST_CHANGED = 100;

/** What a page knows of a channel's points: its prediction, and the reader's own balance and redemptions. */
export class ChannelPoints {
  readonly channel: PointsChannel;
  readonly balance: Balance;
  readonly prediction: ChannelPrediction;
  /** Own redemptions that were made or decided while the page is open, by id. */
  readonly redemptions = signal<ReadonlyMap<string, Redemption>>(new Map());
  /** Changes when events were missed: what was read before may be outdated. */
  readonly gaps = signal(0);
  /** Whether the reader can have points here: not in their own channel. */
  readonly isEarning: boolean;
  readonly #member: Member;
  readonly #link: LiveLink;
  readonly #room: Subscription<`chat:${string}`>;
  readonly #ends: (() => void)[] = [];
  readonly #claimKey = new AttemptKey();
  #reading: ReturnType<typeof setTimeout> | undefined;
  #refusals = 0;
  /** Bets of this page that have no answer yet, and the balance after the last one: what events about them say is known. */
  #betting = 0;
  #balanceAfterBet: number | null = null;
  #isClosed = false;

  /** Follows the channel until `close`. `readerId`: null for a reader without an account. */
  constructor(member: Member, channel: PointsChannel, readerId: string | null) {
    this.#member = member;
    this.channel = channel;
    this.isEarning = readerId !== null && readerId !== channel.userId;
    this.balance = new Balance(channel.userId);
    this.prediction = new ChannelPrediction(member.client, channel.streamId);
    this.#link = member.connect(SAID_BY_THE_CHAT);
    this.#room = this.#link.live.subscribe(`chat:${channel.streamId}`);
    this.#ends.push(...this.prediction.follow(this.#room));
    if (this.isEarning) this.#followOwn();
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end();
    clearTimeout(this.#reading);
    this.prediction.close();
    this.#link.close();
  }

  /** Throws the LivecoreError that refused it. */
  async bet(prediction: Schemas["Prediction"], body: Schemas["NewBet"], key: string): Promise<void> {
    this.#betting++;
    try {
      this.#balanceAfterBet = await this.prediction.place(prediction, body, key);
    } catch (err) {
      // It may have been placed all the same, or another page has placed one.
      void this.#read();
      throw err;
    } finally {
      this.#betting--;
    }
  }

  /** Throws the LivecoreError that refused it. */
  async claim(): Promise<void> {
    const { mark } = this.balance;
    const path = { user_id: this.channel.userId };
    try {
      const known = await this.#claimKey.once(path, (idempotencyKey) =>
        this.#member.client.call("claimPoints", { path, idempotencyKey }),
      );
      this.balance.known(known, mark);
    } catch (err) {
      // It may have been claimed all the same, or by another page.
      void this.#read();
      throw err;
    }
  }

  /** Throws the LivecoreError that refused it. */
  async redeem(
    reward_id: string,
    body: Schemas["RedeemRequest"],
    idempotencyKey: string,
  ): Promise<Redemption> {
    const input = { path: { reward_id }, body, idempotencyKey };
    const redemption = await this.#member.client.call("redeemReward", input);
    this.#redemptionIs(redemption);
    return redemption;
  }

  /** Tells of redemptions by anybody and of a new broadcast, until what it returns is called. */
  followRewards(on: { redeemed(redemption: Redemption): void; broadcast(): void }): () => void {
    const ends = [
      this.#room.on("redemption.created", ({ data }) => on.redeemed(data)),
      this.#room.on("stream.live", () => on.broadcast()),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  #followOwn(): void {
    const own = this.#link.live.subscribe("user");
    if (own.isLive) void this.#read();
    this.#ends.push(
      ...whenMissed(own, () => this.#missed()),
      ...this.balance.follow(own),
      ...this.prediction.followOwn(own),
      own.on("points.changed", ({ data }) => this.#betElsewhere(data)),
      own.on("redemption.updated", ({ data }) => this.#decided(data)),
    );
  }

  #missed(): void {
    this.gaps.value++;
    void this.#read();
  }

  /** A bet by another page or program of the user. */
  #betElsewhere({ channel_user_id, reason, balance }: MessageOf<"points.changed">["data"]): void {
    if (reason !== "bet" || channel_user_id !== this.channel.userId) return;
    if (this.#betting === 0 && balance !== this.#balanceAfterBet) void this.#read();
  }

  #decided(redemption: Redemption): void {
    if (redemption.reward.channel_user_id !== this.channel.userId) return;
    const known = this.redemptions.value.get(redemption.id);
    this.#redemptionIs(redemption);
    const { title, cost } = redemption.reward;
    if (known?.status === redemption.status) return;
    if (redemption.status === "fulfilled") say(TEXTS.points.wasFulfilled(title));
    if (redemption.status === "refunded") say(TEXTS.points.wasRefunded(title, cost));
  }

  #redemptionIs(redemption: Redemption): void {
    const known = this.redemptions.value.get(redemption.id);
    // Its decision may have come before the answer to redeeming it.
    if (known && known.status !== "pending") return;
    const kept = [...this.redemptions.value, [redemption.id, redemption] as const].slice(-MOST_CHANGED);
    this.redemptions.value = new Map(kept);
  }

  /** Reads balance and bet, until there is an answer. */
  async #read(): Promise<void> {
    clearTimeout(this.#reading);
    const { mark } = this.balance;
    const path = { username: this.channel.username };
    const answer = await this.#member.client.attempt("getMyStanding", { path }).catch(() => null);
    if (this.#isClosed) return;
    clearTimeout(this.#reading);
    if (answer?.ok) {
      this.#refusals = 0;
      const { bet, points } = answer.data;
      if (bet) this.prediction.betIs(bet);
      if (this.balance.known(points, mark)) return;
      // An event about the balance has said nothing of the bonus, and the other way round.
      void this.#read();
      return;
    }
    // What else the service refuses now it also refuses later.
    if (answer && answer.status !== TOO_MANY && answer.status < SERVER_ERRORS) return;
    const waitMs = retryWait(this.#refusals++, answer?.error.retryAfterMs ?? READ_AGAIN_MS);
    this.#reading = setTimeout(() => void this.#read(), waitMs);
  }
}
