import { isStreamEvent, type RoomEvent, typeAndDataOf } from "../../rooms/event.ts";
import { framesOf, message, relayed } from "../socket/frames.ts";

/** What the last event about the broadcast said, and at which move of the feed it came. */
export type Broadcast = { isLive: boolean; moves: number };

/** What a feed sends: its room's events in frames, and those about the broadcast to the viewers channel at once. */
export class FeedOutput {
  readonly topic: string;
  readonly viewersTopic: string;
  /** Null when none came by yet. */
  broadcast: Broadcast | null = null;
  private readonly publish: (topic: string, frame: Buffer | string) => void;
  private unsent: Buffer[] = [];

  constructor(streamId: string, publish: (topic: string, frame: Buffer | string) => void) {
    this.topic = `chat:${streamId}`;
    this.viewersTopic = `viewers:${streamId}`;
    this.publish = publish;
  }

  add(event: RoomEvent, moves: number): void {
    this.unsent.push(event.payload);
    if (isStreamEvent(event)) this.publishToViewers(event, moves);
  }

  addEpoch(epoch: number, continuous: boolean): void {
    this.unsent.push(Buffer.from(message("room.epoch", this.topic, { epoch, continuous })));
  }

  /** Sends what was added. */
  flush(): void {
    if (this.unsent.length === 0) return;
    const frames = framesOf(this.unsent);
    this.unsent = [];
    for (const frame of frames) this.publish(this.topic, frame);
  }

  /** The viewers channel has no numbers of the room. */
  private publishToViewers(event: RoomEvent, moves: number): void {
    const { type, data } = typeAndDataOf(event);
    const isLive = type === "stream.live";
    if (isLive || type === "stream.offline") this.broadcast = { isLive, moves };
    this.publish(this.viewersTopic, `[${relayed(type, this.viewersTopic, data)}]`);
  }
}
