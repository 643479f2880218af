import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { SocketLike } from "../../../clients/typescript/src/sockets/options.ts";
import { connectRoom, type RoomClient } from "../../../clients/typescript/src/sockets/room-client.ts";
import { eventually } from "../../support/eventually.ts";

const INTERVAL_MS = 100;

describe("A connection that died without a word", () => {
  const streamId = newId();
  const channel = `chat:${streamId}`;
  let client: RoomClient | null = null;
  let lines: Line[] = [];
  const received: unknown[] = [];
  beforeEach(() => {
    lines = [];
    received.length = 0;
  });
  afterEach(() => client?.close());

  /** The other end, in this process; it answers `ping` while it lives. */
  class Line implements SocketLike {
    readonly openedAt = performance.now();
    readonly after: string | null;
    readonly commands: string[] = [];
    isAlive = true;
    isClosed = false;
    readyState = 1;
    onopen = null;
    onmessage: SocketLike["onmessage"] = null;
    onclose: SocketLike["onclose"] = null;
    onerror = null;

    constructor(url: string) {
      this.after = new URL(url).searchParams.get("after");
      lines.push(this);
      setImmediate(() => {
        this.says({ type: "hello", data: { ping_interval: INTERVAL_MS / 1_000 } });
        this.says({ type: "subscribed", channel, data: { epoch: 5, seq: 10, recovered: null, state: {} } });
      });
    }
    says(message: object): void {
      this.onmessage?.({ data: JSON.stringify([message]) });
    }
    send(text: string): void {
      const { id, method }: { id: number; method: string } = JSON.parse(text);
      this.commands.push(method);
      if (this.isAlive) this.says({ type: "reply", id, data: { server_time: "now" } });
    }
    /** As of a socket whose other side is gone: `onclose` doesn't come for long. */
    close(): void {
      this.isClosed = true;
    }
  }

  async function connected(): Promise<Line> {
    client = connectRoom({
      url: "ws://nowhere",
      streamId,
      WebSocket: Line,
      baseDelayMs: 1,
      onMessage: ({ type }) => void received.push(type),
    });
    await eventually(() => client?.isLive === true);
    const [line] = lines;
    if (!line) throw new Error("The client has no socket");
    return line;
  }

  it("is given up when nothing was received for two intervals, and the client comes back to its place", async () => {
    const line = await connected();
    line.says({ type: "chat.cleared", channel, seq: 11, data: {} });
    line.isAlive = false;
    const silentSince = performance.now();

    await eventually(() => lines.length === 2);

    expect((lines[1]?.openedAt ?? 0) - silentSince).within(2 * INTERVAL_MS - 5, 4 * INTERVAL_MS);
    expect(line.commands).deep.equal(["ping"]);
    expect([line.isClosed, lines[1]?.after]).deep.equal([true, "5:11"]);
    await eventually(() => client?.isLive === true);
    line.says({ type: "chat.cleared", channel, seq: 99, data: {} });
    expect(client?.position, "what it says later is nobody's").equal("5:10");
  });

  it("isn't one in which nothing happens, whose server answers", async () => {
    const line = await connected();

    await eventually(() => line.commands.length === 5);

    expect(line.commands).deep.equal(["ping", "ping", "ping", "ping", "ping"]);
    expect(lines).length(1);
  });

  it("isn't pinged while something is received", async () => {
    const line = await connected();
    const until = performance.now() + 3 * INTERVAL_MS;

    await eventually(() => {
      line.says({ type: "chat.cleared", channel, seq: 11, data: {} });
      return performance.now() > until;
    });

    expect(line.commands).deep.equal([]);
    expect(lines).length(1);
  });

  it("isn't pinged any more once the client has left", async () => {
    const line = await connected();
    client?.close();
    line.isAlive = false;
    const other = await connected();

    await eventually(() => lines.at(-1) !== other && lines.length > 0 && lines.at(-1)?.commands.length === 2);

    expect(line.commands).deep.equal([]);
  });
});
