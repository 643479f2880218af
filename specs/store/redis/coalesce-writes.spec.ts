import { type AddressInfo, createConnection, createServer, type Server } from "node:net";
import { expect } from "chai";
import type { Redis } from "ioredis";
import { connectRedis } from "../../../store/redis/connect.ts";

describe("Commands to Redis", () => {
  /** What came from the client, write by write. */
  let writes: string[];
  let line: Server;
  let redis: Redis;

  before(async () => {
    const target = new URL(process.env.REDIS_URL ?? "");
    line = createServer({ noDelay: true }, (client) => {
      const server = createConnection({ host: target.hostname, port: Number(target.port), noDelay: true });
      client.on("data", (chunk) => {
        writes.push(chunk.toString());
        server.write(chunk);
      });
      server.on("data", (chunk) => client.write(chunk));
      client.once("close", () => server.destroy());
    });
    await new Promise<void>((listening) => void line.listen(0, "127.0.0.1", listening));
    const url = new URL(target);
    url.port = String((line.address() as AddressInfo).port);
    redis = connectRedis({ url: url.href, deadlineMs: 2_000, onError: () => undefined });
    writes = [];
    await redis.connect();
    await redis.ping();
  });
  beforeEach(() => {
    writes = [];
  });
  after(async () => {
    redis.disconnect();
    await new Promise<void>((closed) => void line.close(() => closed()));
  });

  it("leave with one write when they are sent in one turn of the event loop, each with its own answer", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        // As most are sent: after promises that were settled in this turn.
        for (let hops = n % 4; hops > 0; hops--) await null;
        return redis.echo(`message ${n}`);
      }),
    );

    expect(answers).deep.equal(Array.from({ length: 50 }, (_, n) => `message ${n}`));
    expect(writes.length).equal(1);
  });

  it("wait for no other when they are sent alone", async () => {
    for (let n = 0; n < 5; n++) await redis.echo(`message ${n}`);

    expect(writes.length).equal(5);
  });
});
