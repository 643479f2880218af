import { isStreamEvent, type RoomEvent, typeAndDataOf } from "../../rooms/event.ts";
import { frameOf, framesOf, message, relayed } from "../socket/frames.ts";

/** The broadcast's state by its last event, and the feed's `moves` at that event. */
export type Broadcast = { isLive: boolean; moves: number };

/** A feed's output: the room's events batched into frames; events about the broadcast also go to the viewers channel at once. */
export class FeedOutput {
  readonly topic: string;
  readonly viewersTopic: string;
  /** Null until the first such event. */
  broadcast: Broadcast | null = null;
  private readonly publish: (topic: string, frame: Buffer) => void;
  private unsent: Buffer[] = [];

  constructor(streamId: string, publish: (topic: string, frame: Buffer) => void) {
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

  flush(): void {
    if (this.unsent.length === 0) return;
    const frames = framesOf(this.unsent);
    this.unsent = [];
    for (const frame of frames) this.publish(this.topic, frame);
  }

  /** Events of the viewers channel carry no seq of the room. */
  private publishToViewers(event: RoomEvent, moves: number): void {
    const { type, data } = typeAndDataOf(event);
    const isLive = type === "stream.live";
    if (isLive || type === "stream.offline") this.broadcast = { isLive, moves };
    this.publish(this.viewersTopic, frameOf(relayed(type, this.viewersTopic, data)));
  }
}
