import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { givenChannels } from "../../support/given-channels.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";
import { openWorld, type World } from "../../support/world.ts";
import { Socket } from "../gateway/world.ts";

/** Nothing listens there. */
const NOWHERE = 1;

describe("a log-out that is answered by a host cut from Redis", function () {
  this.timeout(60_000);
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  let cutOff: World;
  let other: World;
  /** Of the host that is cut off. */
  const connections: ReturnType<Stores["blockingRedis"]>[] = [];
  before(async () => {
    const redis = new URL(process.env.REDIS_URL ?? "");
    proxy = await openTcpProxy(Number(redis.port));
    redis.port = String(proxy.port);
    const database = `livecore_spec_cut_log_out_${process.pid}`;
    cutOff = await openWorld({
      async stores() {
        const stores = await openStores(database, { redisUrl: redis.href });
        const blockingRedis = () => {
          const opened = stores.blockingRedis();
          connections.push(opened);
          return opened;
        };
        return { ...stores, blockingRedis };
      },
    });
    other = await openWorld({ stores: () => openStores(database) });
  });
  after(async () => {
    proxy?.forwardTo(Number(new URL(process.env.REDIS_URL ?? "").port));
    await eventually(() => connections.every(({ status }) => status === "ready"), { withinMs: 10_000 });
    await cutOff?.close();
    await other?.close();
    await proxy?.close();
  });

  it("applies to messages at the other hosts, by socket and by REST", async () => {
    const given = givenChannels(other);
    const { at } = await given.channel();
    const viewer = await given.user();
    const { ticket } = await viewer.api.ok("createWsTicket");
    const socket = new Socket(`${other.socketUrl}/v1/ws?ticket=${ticket}`);
    const channel = `chat:${at.stream_id}`;
    await socket.command("subscribe", { channel });
    const say = () => viewer.api.call("sendChatMessage", { params: at, body: { content: "still here" } });
    expect((await say()).status).equal(201);

    proxy.forwardTo(NOWHERE);
    await eventually(async () =>
      cutOff.core.redis.ping().then(
        () => false,
        () => true,
      ),
    );
    const here = cutOff.api.as(viewer);
    expect((await here.call("logout")).status).equal(204);

    const byRest = await say();
    const bySocket = Promise.race([
      socket.command("chat.send", { channel, content: "still here" }),
      socket.ending(),
    ]);
    expect(byRest.status).equal(401);
    expect(await bySocket).not.property("data");
    expect(await socket.ending()).deep.equal({ code: 4009, reason: "session_revoked" });
  });
});
