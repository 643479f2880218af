import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { SocketLike } from "../../../clients/typescript/src/sockets/options.ts";
import { connectRoom, type RoomClient } from "../../../clients/typescript/src/sockets/room-client.ts";
import { eventually } from "../../support/eventually.ts";

/** The other end of the client's socket, in this process: says what the spec wants it to say. */
class Line implements SocketLike {
  readonly after: string | null;
  readyState = 1;
  onopen = null;
  onmessage: SocketLike["onmessage"] = null;
  onclose: SocketLike["onclose"] = null;
  onerror = null;

  constructor(url: string) {
    this.after = new URL(url).searchParams.get("after");
  }
  says(...messages: object[]): void {
    this.onmessage?.({ data: JSON.stringify(messages) });
  }
  breaks(): void {
    this.onclose?.({ code: 1006, reason: "" });
  }
  send(): void {
    // This line ignores commands.
  }
  close(): void {
    // Nobody is notified of it.
  }
}

describe("The place from which a client comes back", () => {
  const streamId = newId();
  const channel = `chat:${streamId}`;
  const subscribed = { type: "subscribed", channel, data: { epoch: 5, seq: 10, recovered: null, state: {} } };
  const epoch = (to: number) => ({ type: "room.epoch", channel, data: { epoch: to, continuous: false } });
  const event = (seq: number) => ({ type: "chat.cleared", channel, seq, data: {} });
  let lines: Line[];
  let client: RoomClient | null = null;
  afterEach(() => client?.close());

  /** The position that the client resumes from after it received this and lost its socket. */
  async function placeAfter(...received: object[]): Promise<string | null> {
    return (await comesBackAfter(received, 1)).place;
  }

  async function comesBackAfter(received: object[], baseDelayMs: number) {
    lines = [];
    client?.close();
    client = connectRoom({
      url: "ws://nowhere",
      streamId,
      baseDelayMs,
      random: () => 1,
      WebSocket: class extends Line {
        constructor(url: string) {
          super(url);
          lines.push(this);
        }
      },
    });
    await eventually(() => lines.length === 1);
    lines[0]?.says({ type: "hello", data: {} }, ...received);
    lines[0]?.breaks();
    const brokenAt = performance.now();
    await eventually(() => lines.length === 2);
    return { place: lines[1]?.after ?? null, ms: performance.now() - brokenAt };
  }

  it("is that of the last event, and before the first one that of the subscription", async () => {
    expect(await placeAfter(subscribed)).equal("5:10");
    expect(await placeAfter(subscribed, event(11), event(12))).equal("5:12");
  });

  it("is the beginning of a new epoch, but stays where it was when a gap is announced within one", async () => {
    expect(await placeAfter(subscribed, epoch(6))).equal("6:0");
    expect(await placeAfter(subscribed, epoch(6), event(4))).equal("6:4");
    expect(await placeAfter(subscribed, event(11), epoch(5))).equal("5:11");
  });

  it("is resumed from after its own delay when the server doesn't say when to come back", async () => {
    const { place, ms } = await comesBackAfter([{ type: "hello", data: {} }, subscribed], 200);

    expect(place).equal("5:10");
    expect(ms).above(190);
  });
});
