import { expect } from "chai";
import { retryWindowMs } from "../../../realtime/gateway/socket/drain.ts";
import { hasFields } from "../../stress/parent.ts";
import { type GatewayWorld, openGatewayWorld } from "../gateway/world.ts";
import { now } from "../wire/clock.ts";

/** The reconnect window that a message announces, ms. */
function windowIn(message: { data?: unknown }): number {
  return hasFields(message.data, "retry_after_ms") ? Number(message.data.retry_after_ms) : Number.NaN;
}

/** Longer than a busy machine usually keeps a process waiting; a socket gets 10 ms at most. */
const QUARTER_MS = 220;

describe("A worker that leaves", () => {
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());

  async function drained(count: number, ms: number) {
    const gateway = await world.gateway();
    const stream = await world.channel();
    const closedAt: number[] = [];
    const sockets = Array.from({ length: count }, () => {
      const socket = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
      socket.ws.on("close", () => closedAt.push(now()));
      return socket;
    });
    await Promise.all(sockets.map((socket) => socket.next("subscribed")));
    const startedAt = now();
    await gateway.drain(ms);
    await Promise.all(sockets.map((socket) => socket.ending()));
    return { sockets, after: closedAt.map((at) => at - startedAt), tookMs: now() - startedAt };
  }

  it("sends its sockets away one after the other over its time, and announces to each how to come back", async () => {
    const { sockets, after } = await drained(100, 4 * QUARTER_MS);

    for (const socket of sockets) {
      expect(socket.closed).deep.equal({ code: 1012, reason: "restart" });
      expect(windowIn(await socket.next("bye"))).least(1_000);
      expect(socket.problems).deep.equal([]);
    }
    const quarters = [0, 1, 2, 3].map(
      (i) => after.filter((ms) => ms >= i * QUARTER_MS && ms < (i + 1) * QUARTER_MS).length,
    );
    for (const gone of quarters.slice(0, 3)) expect(gone).within(5, 50);
    expect(Math.max(...after)).least(3.2 * QUARTER_MS);
  });

  it("takes no longer than its few sockets need", async () => {
    const { tookMs } = await drained(5, 10_000);

    expect(tookMs).below(5_000);
  });

  it("announces the longer a window the more there are to come back", () => {
    const windows = [10, 2_000, 20_000, 1_000_000].map((sockets) =>
      retryWindowMs({ sockets, leastMs: 1_000 }),
    );

    expect(windows).deep.equal([1_000, 1_000, 10_000, 30_000]);
  });

  it("has announced to its sockets before how to come back if it dies without notice", async () => {
    const gateway = await world.gateway();
    const windows: number[] = [];
    for (let i = 0; i < 10; i++) windows.push(windowIn(await world.socket(gateway, "/v1/ws").next("hello")));

    expect(windows).deep.equal([1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  });
});
