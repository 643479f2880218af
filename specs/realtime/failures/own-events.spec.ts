// @waits: for the pauses of the client.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { connectLive } from "../../../clients/typescript/src/index.ts";
import { eventually } from "../../support/eventually.ts";
import { CheckedSocket } from "../../support/frames/checked-socket.ts";
import { once } from "../rooms/world.ts";
import { type GatewayProcess, withGateway } from "../wire/gateway-process.ts";

const EVENTS = 160;

describe("A user's own events while workers are killed", () => {
  it("are shown once each and in their order, to everybody", async function () {
    this.timeout(120_000);
    await withGateway(
      async () => ({}),
      (first, world) =>
        withGateway(
          async () => ({}),
          (second) =>
            withGateway(
              async () => ({}),
              (third) => run([first, second, third], world),
            ),
        ),
    );
  });

  async function run(
    workers: GatewayProcess[],
    { userEvents }: Parameters<Parameters<typeof withGateway>[1]>[1],
  ): Promise<void> {
    let alive = workers;
    /** Goes to any worker that lives, as behind a proxy. */
    class Balanced extends CheckedSocket {
      constructor(url: string) {
        const { port } = alive[Math.floor(Math.random() * alive.length)] ?? { port: 1 };
        super(url.replace("//service", `//127.0.0.1:${port}`));
      }
    }
    const users = Array.from({ length: 8 }, () => newId());
    const received = new Map(users.map((user): [string, number[]] => [user, []]));
    const numbers = new Map(users.map((user): [string, number[]] => [user, []]));
    const unrecovered: unknown[] = [];
    const clients = users.map((user) => {
      const client = connectLive({
        url: "ws://service",
        WebSocket: Balanced,
        baseDelayMs: 10,
        ticket: async () => user,
      });
      const own = client.subscribe("user");
      own.on("subscribed", ({ data }) => data.recovered === false && unrecovered.push(data));
      own.on("prediction.result", ({ data, seq }) => {
        received.get(user)?.push(data.amount);
        numbers.get(user)?.push(seq ?? 0);
      });
      return { client, own };
    });
    try {
      await eventually(() => clients.every(({ own }) => own.isLive), { withinMs: 10_000 });
      for (let amount = 1; amount <= EVENTS; amount++) {
        if (amount === 50 || amount === 100) {
          const [victim, ...others] = alive;
          alive = others;
          await victim?.end();
        }
        const source = once();
        const to = users.map((userId) => ({
          userId,
          data: { prediction_id: newId(), outcome_id: "a", amount, payout: 0 },
        }));
        await userEvents.publish("prediction.result", to, source);
        // Each third one is repeated, as the relay does.
        if (amount % 3 === 0) await userEvents.publish("prediction.result", to, source);
      }
      await eventually(() => [...received.values()].every((amounts) => amounts.at(-1) === EVENTS), {
        withinMs: 30_000,
        what: "all have the last one",
      });
      const all = Array.from({ length: EVENTS }, (_one, i) => i + 1);
      for (const user of users) {
        expect(received.get(user)).deep.equal(all);
        expect(numbers.get(user)).deep.equal(all);
      }
      expect(unrecovered).deep.equal([]);
    } finally {
      for (const { client } of clients) client.close();
    }
  }
});
