import { randomInt } from "node:crypto";
import { expect } from "chai";
import { loadConfig } from "../../deploy/processes/config/config.ts";
import { Socket } from "../realtime/gateway/world.ts";
import { eventually } from "../support/eventually.ts";
import { headOf, RawConnection, upgradeHead } from "../support/raw-http.ts";
import { openWorld, type World } from "../support/world.ts";

const SOCKETS = 2;

/** As it is configured: what the service makes of TRUSTED_PROXIES and RATE_LIMIT_FACTOR, at each of its ports. */
describe("Behind a trusted proxy", () => {
  const secret = (n: number) => `${n}f8c1d3a97b5e60241`.repeat(4);
  const { http, realtime } = loadConfig({
    NODE_ENV: "production",
    PUBLIC_URL: "https://live.example",
    TRUSTED_PROXIES: "127.0.0.0/8",
    SMTP_URL: "smtps://smtp.example",
    MAIL_FROM: "no-reply@live.example",
    FILES_DIR: "/srv/livecore/files",
    MONGODB_URL: "mongodb://m.example/",
    REDIS_URL: "redis://r.example",
    INGEST_KEYS: secret(1),
    MASTER_KEY: secret(3),
    EDGE_KEYS: secret(4),
  });
  const net = `2001:db8:${randomInt(0xffff).toString(16)}`;
  let world: World;
  const sockets: Socket[] = [];
  const connections: RawConnection[] = [];

  before(async () => {
    expect(http.trustedProxies).deep.equal(realtime.trustedProxies);
    world = await openWorld({ trustedProxies: [...http.trustedProxies], rateLimitFactor: SOCKETS / 100 });
  });
  after(async () => {
    for (const socket of sockets) socket.terminate();
    for (const connection of connections) connection.close();
    await world.close();
  });

  async function upgrade(base: string, from: string): Promise<string | number> {
    const socket = new Socket(`${base}/v1/ws`, undefined, { "X-Forwarded-For": from });
    sockets.push(socket);
    await eventually(() => socket.messages.length > 0 || socket.refused !== null);
    return socket.refused?.status ?? "open";
  }

  it("clients count by the address that it names, IPv6 by home, on both ports and for REST", async () => {
    const direct = `ws://127.0.0.1:${world.gateway.port}`;
    // One home at both ports: its sockets count together.
    const home = [await upgrade(world.socketUrl, `${net}:1::1`), await upgrade(direct, `${net}:1::2`)];
    const full = [await upgrade(world.socketUrl, `${net}:1::3`), await upgrade(direct, `${net}:1::4`)];
    const other = [await upgrade(world.socketUrl, `${net}:2::1`), await upgrade(direct, `${net}:2::1`)];
    const left = async (from: string) => {
      const answer = await fetch(`${world.baseUrl}/v1/streams`, { headers: { "x-forwarded-for": from } });
      return Number(answer.headers.get("ratelimit-remaining"));
    };

    expect([home, full, other]).deep.equal([
      ["open", "open"],
      [429, 429],
      ["open", "open"],
    ]);
    expect([await left(`${net}:3::1`), await left(`${net}:3::2`), await left(`${net}:4::1`)]).deep.equal([
      5, 4, 5,
    ]);
  });

  it("is the one of the line that the proxy added, whatever the client's own lines say, on both ports", async () => {
    const home = `${net}:5::1`;
    const ask = async (url: string, head: (...lines: string[]) => string) => {
      const connection = new RawConnection(Number(new URL(url).port));
      connections.push(connection);
      const forged = `X-Forwarded-For: ${net}:${randomInt(0xfff) + 0x1000}::1`;
      connection.write(head(forged, "X-Request-Id: between-the-lines", `x-forwarded-for: ${home}`));
      await eventually(() => connection.statuses().length > 0);
      return connection;
    };
    const upgrade = async (url: string) =>
      (await ask(url, (...lines) => upgradeHead("/v1/ws", ...lines))).statuses()[0];
    const left = async () => {
      const answer = await ask(world.socketUrl, (...lines) => headOf("GET /v1/streams", ...lines));
      return /ratelimit-remaining: (\d+)/i.exec(answer.text())?.[1];
    };
    const direct = `ws://127.0.0.1:${world.gateway.port}`;

    expect([await upgrade(direct), await upgrade(world.socketUrl)]).deep.equal([101, 101]);
    expect([await upgrade(direct), await upgrade(world.socketUrl)]).deep.equal([429, 429]);
    expect([await left(), await left()]).deep.equal(["5", "4"]);
  });
});
