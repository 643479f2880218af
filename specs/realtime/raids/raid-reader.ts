import type { ServerMessage } from "../../../contract/frames.ts";
import { now } from "../wire/clock.ts";
import { WireSocket } from "../wire/wire-socket.ts";

const RECORDED = ['"type":"hello"', '"type":"subscribed"', '"type":"raid.'].map((text) => Buffer.from(text));

/** A socket that follows a room with `follow_raids`, and records where it is; other frames aren't parsed. */
export class RaidReader {
  readonly socket: WireSocket;
  /** The topic of the latest `subscribed`, and when it came. */
  topic: string | null = null;
  since = 0;
  /** The types of raid messages and `subscribed`, in order. */
  readonly received: string[] = [];

  constructor(options: { port: number; streamId: string; ticket: string }) {
    const { port, streamId, ticket } = options;
    this.socket = new WireSocket({
      port,
      path: `/v1/ws?ticket=${ticket}`,
      onFrame: (payload) => {
        if (!RECORDED.some((text) => payload.includes(text))) return;
        const messages: ServerMessage[] = JSON.parse(payload.toString());
        for (const message of messages) this.read(message, streamId);
      },
    });
  }

  private read({ type, channel }: ServerMessage, streamId: string): void {
    if (type === "hello") {
      const params = { channel: `chat:${streamId}`, follow_raids: true };
      this.socket.send({ id: 1, method: "subscribe", params });
    }
    if (type !== "subscribed" && !type.startsWith("raid.")) return;
    this.received.push(type);
    if (type !== "subscribed") return;
    this.topic = channel ?? null;
    this.since = now();
  }
}
