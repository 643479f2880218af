import type { WebSocket } from "uWebSockets.js";
import { newId } from "../../../base/ids.ts";
import type { Grant } from "../../../contract/scopes.ts";
import { CLOSINGS, type Closing } from "./close-codes.ts";
import { frameOf } from "./frames.ts";
import type { SendBufferLimits } from "./send-buffer.ts";
import type { SocketSlot } from "./socket-slots.ts";

/** Who a ticket belongs to. */
export type TicketHolder = {
  userId: string;
  username: string;
  /** For a personal API token, the token's id. */
  sessionId: string;
  viaCookie: boolean;
  /** Null for a session. */
  grant: Grant | null;
};

export type SocketData = { connection: Connection };

/** Limits of a socket's unreadable frames and of its commands. */
const MAX_PROBLEMS = 20;
const PROBLEM_WINDOW_MS = 10_000;
export const COMMANDS_PER_SECOND = 20;
const COMMAND_BURST = 60;
/** As many as may be sent in one burst. */
const MAX_QUEUED = COMMAND_BURST;

/** What a socket was opened for: a dedicated path subscribes by itself. */
export type Purpose = { channel: string | null; after: string | null };

/** A channel that a socket follows; `leave` releases what that holds, and may be called before it is live. */
export type Subscription = { leave(): void; followsRaids: boolean };

/** One socket: its user, its subscriptions and its limits. Never touches the uWS socket after that was closed. */
export class Connection {
  readonly id = newId();
  holder: TicketHolder | null;
  readonly ip: string;
  readonly purpose: Purpose;
  /** Released when the socket closes. */
  readonly slot: Pick<SocketSlot, "release">;
  /** By channel: the subscription that is under way or live. */
  readonly channels = new Map<string, Subscription>();
  private ws: WebSocket<SocketData> | null = null;
  private problems: number[] = [];
  private allowance = COMMAND_BURST;
  private allowedAt = performance.now();
  /** The last command that was queued in each lane. */
  private readonly lanes = new Map<string, Promise<void>>();
  private queued = 0;
  private replays: Promise<unknown> | null = null;
  private drains: (() => void)[] = [];
  /** How many bytes the reader of a waiting replay is behind, and since when that hasn't shrunk; null while none waits. */
  private waiting: { behind: number; since: number } | null = null;
  private readonly replayAheadBytes: number;

  constructor(options: {
    holder: TicketHolder | null;
    ip: string;
    purpose: Purpose;
    slot: Pick<SocketSlot, "release">;
    buffer: Pick<SendBufferLimits, "replayAheadBytes">;
  }) {
    this.holder = options.holder;
    this.ip = options.ip;
    this.purpose = options.purpose;
    this.slot = options.slot;
    this.replayAheadBytes = options.buffer.replayAheadBytes;
  }

  /** Who is in the rooms that it follows; null for a reader without an account, as which an overlay reads them. */
  get member(): TicketHolder | null {
    return this.holder?.grant?.kind === "overlay" ? null : this.holder;
  }

  get isOpen(): boolean {
    return this.ws !== null;
  }

  rename(username: string): void {
    if (this.holder) this.holder = { ...this.holder, username };
  }

  opened(ws: WebSocket<SocketData>): void {
    this.ws = ws;
  }

  closed(): void {
    this.ws = null;
    this.drained();
  }

  /** Sends messages that are serialized JSON, as one frame. */
  send(...messages: string[]): void {
    this.sendFrame(frameOf(...messages));
  }

  sendFrame(frame: Buffer): void {
    this.ws?.send(frame, false);
  }

  /** Runs `work` while this socket holds uWS's one cork. */
  corked(work: () => void): void {
    this.ws?.cork(work);
  }

  follow(topic: string): void {
    this.ws?.subscribe(topic);
  }

  unfollow(topic: string): void {
    this.ws?.unsubscribe(topic);
  }

  get backlog(): number {
    return this.ws?.getBufferedAmount() ?? 0;
  }

  /** How long a replay has waited for this reader without progress, ms. Meant to be polled. */
  stalledMs(now: number): number {
    if (!this.waiting) return 0;
    const behind = this.backlog;
    if (behind < this.waiting.behind) this.waiting = { behind, since: now };
    return now - this.waiting.since;
  }

  end({ code, reason }: Closing): void {
    // uWS calls `close` inside `end`: the socket is detached before, so that nothing touches it from there.
    const ws = this.ws;
    this.closed();
    ws?.end(code, reason);
  }

  /** Unsubscribes from all topics: what was sent so far stays a contiguous part. */
  unfollowAll(): void {
    for (const topic of this.ws?.getTopics() ?? []) this.ws?.unsubscribe(topic);
  }

  /** Counts an unreadable frame; the 20th within 10 s ends the socket. */
  countProblem(): void {
    const now = performance.now();
    this.problems = this.problems.filter((at) => at > now - PROBLEM_WINDOW_MS);
    this.problems.push(now);
    if (this.problems.length >= MAX_PROBLEMS) this.end(CLOSINGS.badRequest);
  }

  /** Takes one command from the token bucket; false when this socket sends commands too fast. */
  mayCommand(): boolean {
    const now = performance.now();
    const earned = ((now - this.allowedAt) / 1_000) * COMMANDS_PER_SECOND;
    this.allowance = Math.min(COMMAND_BURST, this.allowance + earned) - 1;
    this.allowedAt = now;
    // Far below zero: a client that ignores refusals.
    if (this.allowance < -COMMAND_BURST * 2) this.end(CLOSINGS.rateLimited);
    return this.allowance >= 0;
  }

  /** Runs the commands of a lane one after the other, in their order. Returns false when too many of all lanes are queued. */
  inTurn(lane: string, work: () => Promise<void>): boolean {
    if (this.queued >= MAX_QUEUED) return false;
    this.queued++;
    const turn = (this.lanes.get(lane) ?? Promise.resolve()).then(work).finally(() => {
      this.queued--;
      if (this.lanes.get(lane) === turn) this.lanes.delete(lane);
    });
    this.lanes.set(lane, turn);
    return true;
  }

  /** Runs one replay at a time: several would each be ahead of the reader. */
  replayInTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.replays?.then(work) ?? work();
    const done = () => {
      if (this.replays === settled) this.replays = null;
    };
    // The caller gets a failure through `turn`.
    const settled: Promise<void> = turn.then(done, done);
    this.replays = settled;
    return turn;
  }

  /** Resolves when the reader has caught up enough for more of a replay, or the socket has closed. */
  async readyForMore(): Promise<void> {
    while (this.isOpen && this.backlog > this.replayAheadBytes) {
      this.waiting ??= { behind: this.backlog, since: performance.now() };
      await new Promise<void>((done) => {
        this.drains.push(done);
      });
    }
    this.waiting = null;
  }

  drained(): void {
    const waiting = this.drains;
    this.drains = [];
    for (const done of waiting) done();
  }
}
