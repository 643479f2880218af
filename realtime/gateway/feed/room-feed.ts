import type { Log } from "../../../base/log.ts";
import type { Position } from "../../../base/room-position.ts";
import { isRaidEvent, type LiveEvent, type RoomEvent, typeAndDataOf } from "../../rooms/event.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { FeedCursor } from "./feed-cursor.ts";
import { type Broadcast, FeedOutput } from "./feed-output.ts";
import type { ReplayStats } from "./log-pages.ts";
import type { Paced } from "./pacing.ts";
import { RecentEvents } from "./recent-events.ts";

/**
 * One room's events as this worker sends them: a single sequence in which every event has its number.
 *
 * 1. The tail delivers events; the next one in sequence is accepted, an older one dropped.
 * 2. Anything else (a gap, another epoch) is read from the log until the log and the tail meet. The room says which of two
 *    epochs is later, not their numbers: after a loss of data the clock of Redis may be behind.
 * 3. Accepted events go to the sockets at once, or batched while the room is hot (see pacing.ts).
 * 4. A ring of the last events lets sockets join without reading the log; pages of the log serve those who are further
 *    behind.
 */
const PAGE = 100;
const MAX_QUEUED = 1_000;

type FeedDeps = {
  rooms: Pick<Rooms, "position" | "log">;
  log: Log;
  publish(topic: string, frame: Buffer | string): void;
  /** Called when there is something to send. */
  onTouched(feed: RoomFeed): void;
  /** Called when reading the missing events failed and must be retried. */
  onBehind(feed: RoomFeed): void;
  /** Number of sockets that follow a topic on this worker. */
  followers(topic: string): number;
  onRaidEvent(streamId: string, event: { type: string; data: unknown }): void;
  replayStats: ReplayStats;
};

export class RoomFeed implements Paced {
  readonly streamId: string;
  readonly topic: string;
  readonly viewersTopic: string;
  lastSentAt = 0;
  private readonly output: FeedOutput;
  private readonly recent: RecentEvents;
  private readonly deps: FeedDeps;
  private readonly cursor = new FeedCursor();
  /** The room's epoch by the last read that found it; the feed may not have reached it yet. Null before such a read. */
  private roomEpoch: number | null = null;
  private queue: LiveEvent[] = [];
  private isStarted = false;
  private filling: Promise<void> | null = null;
  private verifying: Promise<void> | null = null;
  private isClosed = false;

  constructor(streamId: string, deps: FeedDeps) {
    this.streamId = streamId;
    this.deps = deps;
    this.output = new FeedOutput(streamId, deps.publish);
    this.topic = this.output.topic;
    this.viewersTopic = this.output.viewersTopic;
    this.recent = new RecentEvents({ streamId, log: deps.rooms.log, stats: deps.replayStats });
  }

  /** The broadcast's state by its last event; null until the first one. */
  get broadcast(): Broadcast | null {
    return this.output.broadcast;
  }

  /** The position of the sockets that follow this feed, once `flush` has run. */
  get position(): Position {
    return this.cursor.head;
  }

  /** Incremented whenever `position` changes. */
  get moves(): number {
    return this.cursor.moves;
  }

  audience(): number {
    return this.deps.followers(this.topic);
  }

  /** The tail must already watch the room. */
  async start(): Promise<void> {
    this.cursor.move(await this.deps.rooms.position(this.streamId));
    this.isStarted = true;
    const early = this.queue;
    this.queue = [];
    for (const event of early) this.receive(event);
  }

  close(): void {
    this.isClosed = true;
    this.recent.close();
  }

  receive(event: LiveEvent): void {
    if (!this.isStarted || this.filling) {
      this.queue.push(event);
      // What is dropped here is in the log, and the fill reads until both meet.
      if (this.queue.length > MAX_QUEUED) this.queue.shift();
      return;
    }
    if (this.cursor.isSeen(event)) return;
    if (this.cursor.isNext(event)) {
      this.accept(event, event.redactions);
      return;
    }
    this.queue.push(event);
    void this.catchUp();
  }

  /** Reads the room's log beyond this feed's position. Never rejects. */
  catchUp(): Promise<void> {
    this.filling ??= this.fill()
      .catch((err: unknown) => {
        const { streamId } = this;
        this.deps.log.warn({ err, streamId }, "filling a room from its log failed; will try again");
        if (!this.isClosed) this.deps.onBehind(this);
      })
      .finally(() => {
        this.filling = null;
      });
    return this.filling;
  }

  /** The events after a position, as frames; null when the ring doesn't reach back to it. */
  framesAfter(position: Position): readonly Buffer[] | null {
    return this.recent.framesAfter(position, this.position);
  }

  /** Whether the ring reaches back to a position. */
  reaches(position: Position): boolean {
    return this.recent.reaches(position, this.position);
  }

  /** A page of events after a position, from the log. */
  eventsAfter(position: Position): Promise<RoomEvent[]> {
    return this.recent.read(position, () => this.position);
  }

  /**
   * Compares the feed with the room's head, when events may have been missed. Single flight: a comparison that is already
   * under way may have begun before the caller had a reason for it.
   */
  verify(): Promise<void> {
    this.verifying ??= this.compare().finally(() => {
      this.verifying = null;
    });
    return this.verifying;
  }

  private async compare(): Promise<void> {
    if (!this.isStarted) return;
    const { epoch, seq } = await this.deps.rooms.position(this.streamId);
    if (epoch !== this.position.epoch) this.roomEpoch = epoch;
    else if (seq <= this.position.seq) return;
    await this.catchUp();
  }

  /** Whether that epoch is over: no more of its events will come. */
  isOver(epoch: number): boolean {
    return this.cursor.isOver(epoch);
  }

  flush(): void {
    this.output.flush();
  }

  private async fill(): Promise<void> {
    const { rooms } = this.deps;
    while (!this.isClosed) {
      // Taken before the log is read, so that the previous epoch was read to its end when this one is entered.
      const { roomEpoch } = this;
      const page = await rooms.log.after(this.streamId, this.position, PAGE);
      for (const event of page) {
        if (event.epoch !== this.position.epoch) {
          const survived = await rooms.log.has(this.streamId, this.position);
          this.skipTo(event, survived && event.seq === 1);
        } else if (event.seq > this.position.seq + 1) {
          this.skipTo(event, false);
        }
        // The log doesn't tell which messages a moderation event has deleted; reads from now on have them redacted.
        if (event.chat === null) this.recent.clear();
        this.accept(event, null);
      }
      this.takeQueued();
      const [next] = this.queue;
      if (page.length === PAGE) continue;
      if (!next && this.cursor.hasReached(this.roomEpoch)) return;
      if (page.length > 0) continue;
      if (next?.epoch === this.position.epoch) {
        // Neither the log nor the tail has the events in between: they were trimmed or lost.
        this.skipTo(next, false);
        this.takeQueued();
      } else if (roomEpoch !== null && !this.cursor.hasReached(roomEpoch)) {
        await this.moveTo(roomEpoch);
      } else if (next) {
        await this.find(next);
      }
    }
  }

  /**
   * For when the log has nothing after the head, and the room is in another epoch. That one is continuous if the log still
   * has this position.
   */
  private async moveTo(epoch: number): Promise<void> {
    const { rooms } = this.deps;
    const survived = await rooms.log.has(this.streamId, this.position);
    this.roomEpoch = (await rooms.position(this.streamId)).epoch;
    if (this.roomEpoch === epoch) this.enterEpoch(epoch, survived);
  }

  /**
   * Finds out whether an event's epoch is over or has just begun. The room is read after the event came, so a new epoch is
   * visible.
   */
  private async find({ epoch }: Position): Promise<void> {
    this.roomEpoch = (await this.deps.rooms.position(this.streamId)).epoch;
    if (this.roomEpoch !== this.position.epoch) return;
    this.cursor.leave(epoch);
    this.takeQueued();
  }

  private takeQueued(): void {
    for (let next = this.queue[0]; next; next = this.queue[0]) {
      if (!this.cursor.isSeen(next)) {
        if (!this.cursor.isNext(next)) return;
        this.accept(next, next.redactions);
      }
      this.queue.shift();
    }
  }

  private accept(event: RoomEvent, redactions: string | null): void {
    this.cursor.move({ epoch: event.epoch, seq: event.seq });
    if (redactions !== null) this.recent.redact(redactions);
    this.recent.push(event);
    this.output.add(event, this.moves);
    if (isRaidEvent(event)) this.deps.onRaidEvent(this.streamId, typeAndDataOf(event));
    this.deps.onTouched(this);
  }

  private enterEpoch(epoch: number, continuous: boolean): void {
    this.cursor.move({ epoch, seq: 0 });
    this.recent.clear();
    this.output.addEpoch(epoch, continuous);
    this.deps.onTouched(this);
  }

  private skipTo(event: Position, continuous: boolean): void {
    this.enterEpoch(event.epoch, continuous);
    this.cursor.move({ epoch: event.epoch, seq: event.seq - 1 });
  }
}
