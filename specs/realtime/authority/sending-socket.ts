import type { ServerMessage } from "../../../contract/frames.ts";
import { now } from "../wire/clock.ts";
import { WireSocket } from "../wire/wire-socket.ts";

/** Longest wait for a reply; a closed socket gives none. */
const REPLY_WITHIN_MS = 2_000;

/** A signed-in socket in one room that sends messages, and records what it receives with times. */
export class SendingSocket {
  readonly received: { at: number; message: ServerMessage }[] = [];
  readonly wire: WireSocket;
  /** When it was closed; null while it is open. */
  closedAt: number | null = null;
  private readonly waiting = new Map<number, (reply: ServerMessage | null) => void>();
  private readonly streamId: string;
  private nextId = 1;

  constructor({ port, streamId, ticket }: { port: number; streamId: string; ticket: string }) {
    this.streamId = streamId;
    this.wire = new WireSocket({
      port,
      path: `/v1/ws/chat/${streamId}?ticket=${ticket}`,
      onFrame: (payload) => {
        const messages: ServerMessage[] = JSON.parse(payload.toString());
        for (const message of messages) this.receive(message);
      },
    });
    void this.wire.closed.then(() => {
      this.closedAt = now();
      for (const settle of this.waiting.values()) settle(null);
    });
  }

  get isLive(): boolean {
    return this.received.some(({ message }) => message.type === "subscribed");
  }

  ofType(type: string): { at: number; message: ServerMessage }[] {
    return this.received.filter(({ message }) => message.type === type);
  }

  /** The outcome of a message: "accepted", the code that refused it, or null without an answer. */
  async send(content: string): Promise<string | null> {
    if (this.closedAt !== null) return null;
    const id = this.nextId++;
    const channel = `chat:${this.streamId}`;
    const reply = await new Promise<ServerMessage | null>((resolve) => {
      const late = setTimeout(() => resolve(null), REPLY_WITHIN_MS);
      this.waiting.set(id, (answer) => {
        clearTimeout(late);
        resolve(answer);
      });
      this.wire.send({ id, method: "chat.send", params: { channel, content } });
    });
    this.waiting.delete(id);
    return reply === null ? null : (reply.error?.code ?? "accepted");
  }

  private receive(message: ServerMessage): void {
    // Chat messages are many, and are read elsewhere.
    if (message.type !== "chat.message") this.received.push({ at: now(), message });
    if (message.type === "reply" && typeof message.id === "number") this.waiting.get(message.id)?.(message);
  }
}
