// @waits: for the pauses of the client.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { connectLive, type LiveClient } from "../../../clients/typescript/src/index.ts";
import type { ServerMessage } from "../../../contract/frames.ts";
import type { Grant } from "../../../contract/scopes.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import { appendUserEvent } from "../../../realtime/rooms/scripts/user-log.ts";
import { textHash } from "../../../realtime/rooms/text.ts";
import { keys } from "../../../store/redis/keys.ts";
import { serverRuns } from "../../../store/redis/server-run.ts";
import { eventually } from "../../support/eventually.ts";
import { CheckedSocket } from "../../support/frames/checked-socket.ts";
import { once, type Talker, talker } from "../rooms/world.ts";
import { type GatewayWorld, openGatewayWorld, type Socket, until } from "./world.ts";

const PREDICTION = newId();

describe("A user's own events", () => {
  let world: GatewayWorld;
  let gateways: Gateway[];
  let clients: LiveClient[] = [];
  let runs: ReturnType<typeof serverRuns>;
  before(async () => {
    world = await openGatewayWorld();
    runs = serverRuns(world.redis);
    gateways = [await world.gateway(), await world.gateway()];
  });
  afterEach(() => {
    for (const client of clients) client.close();
    clients = [];
  });
  after(async () => {
    runs.close();
    await world.close();
  });

  const result = (amount: number) => ({ prediction_id: PREDICTION, outcome_id: "a", amount, payout: 0 });
  const publish = (user: Talker, amount: number, source = once()) =>
    world.userEvents.publish("prediction.result", [{ userId: user.userId, data: result(amount) }], source);
  const amountOf = ({ data }: ServerMessage) => (data as ReturnType<typeof result>).amount;
  const amounts = (socket: Socket) => socket.ofType("prediction.result").map(amountOf);
  const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_one, i) => from + i);

  function open(user: Talker, after: string | null = null, at = 0): Socket {
    const gateway = gateways[at];
    if (!gateway) throw new Error("two gateways");
    const query = after === null ? "" : `&after=${after}`;
    return world.socket(gateway, `/v1/ws/user?ticket=${world.ticketFor(user)}${query}`);
  }

  async function subscribed(socket: Socket) {
    const { data } = await socket.next("subscribed");
    return data as { epoch: number; seq: number; recovered: boolean | null };
  }

  it("are kept for somebody who is nowhere connected, and come with the position", async () => {
    const user = talker();
    const { epoch, seq, recovered } = await subscribed(open(user));
    expect({ seq, recovered }).deep.equal({ seq: 0, recovered: null });
    const away = talker();
    for (const amount of [1, 2, 3]) await publish(away, amount);

    const late = open(away, null, 1);
    expect(await subscribed(late)).include({ seq: 3, recovered: null });
    for (const amount of [1, 2, 3]) await publish(user, amount);
    const back = open(user, `${epoch}:1`, 1);
    expect(await subscribed(back)).deep.equal({ epoch, seq: 3, recovered: true, state: {} });
    await publish(user, 4);
    await until(() => amounts(back).at(-1) === 4 || null, "the live one");

    expect(amounts(back)).deep.equal([2, 3, 4]);
    expect(back.ofType("prediction.result").map(({ seq }) => seq)).deep.equal([2, 3, 4]);
    expect(amounts(late)).deep.equal([]);
    expect([...back.problems, ...late.problems]).deep.equal([]);
  });

  it("come once, however often they are published, and in the order of their numbers", async () => {
    const user = talker();
    const sockets = [open(user), open(user, null, 1)];
    await Promise.all(sockets.map(subscribed));
    const sources = upTo(20).map(once);

    for (let repeat = 0; repeat < 3; repeat++)
      await Promise.all(sources.map((source, i) => publish(user, i + 1, source)));

    await eventually(() => sockets.every((socket) => amounts(socket).length >= 20));
    await publish(user, 21);
    await eventually(() => sockets.every((socket) => amounts(socket).at(-1) === 21));
    for (const socket of sockets) {
      expect(socket.ofType("prediction.result").map(({ seq }) => seq)).deep.equal(upTo(21));
      expect(amounts(socket).toSorted((a, b) => a - b)).deep.equal(upTo(21));
      expect(socket.problems).deep.equal([]);
    }
  });

  it("aren't lost when their publisher dies between the log and the workers", async () => {
    const user = talker();
    const socket = open(user);
    await subscribed(socket);
    const source = once();
    await publish(user, 1, source);
    await until(() => amounts(socket).length === 1 || null, "the first");
    // As it is when the process dies in between: the log has it, no socket received it, and the relay repeats it.
    const run = await runs.current(keys.userHead(user.userId));
    const draft = { userId: user.userId, type: "prediction.result", data: JSON.stringify(result(2)) };
    const next = { ...source, version: 2 };
    const { ref, version, n } = next;
    await appendUserEvent(
      run,
      { ...draft, source: textHash(`${ref} ${version} ${n} 0`), version: null },
      { pastGap: false },
    );

    await publish(user, 2, next);

    await until(() => amounts(socket).length === 2 || null, "the second");
    expect(amounts(socket)).deep.equal([1, 2]);
  });

  it("are read from the log where one is missing before the next", async () => {
    const user = talker();
    const socket = open(user);
    await subscribed(socket);
    const source = once();
    await publish(user, 1, source);
    await until(() => amounts(socket).length === 1 || null, "the first");
    // As it is when the process dies in between: the log has it, no socket received it, and the relay repeats it.
    const run = await runs.current(keys.userHead(user.userId));
    const draft = { userId: user.userId, type: "prediction.result", data: JSON.stringify(result(2)) };
    const next = { ...source, version: 2 };
    const { ref, version, n } = next;
    await appendUserEvent(
      run,
      { ...draft, source: textHash(`${ref} ${version} ${n} 0`), version: null },
      { pastGap: false },
    );
    await publish(user, 3);
    await until(() => amounts(socket).length === 3 || null, "all three");

    expect(amounts(socket)).deep.equal([1, 2, 3]);
    expect(socket.ofType("room.epoch")).deep.equal([]);
  });

  it("are neither lost nor repeated through losses of the socket while they come", async () => {
    const user = talker();
    const received: number[] = [];
    const seqs: number[] = [];
    for (const gateway of gateways) {
      const client = connectLive({
        url: `ws://127.0.0.1:${gateway.port}`,
        ticket: async () => world.ticketFor(user),
        WebSocket: CheckedSocket,
        baseDelayMs: 5,
      });
      clients.push(client);
    }
    const [client] = clients;
    if (!client) throw new Error("a client");
    const own = client.subscribe("user");
    own.on("prediction.result", ({ data, seq }) => {
      received.push(data.amount);
      seqs.push(seq ?? 0);
    });
    await eventually(() => own.isLive);
    for (let amount = 1; amount <= 150; amount++) {
      await publish(user, amount);
      if (amount % 10 === 5) client.drop();
    }

    await eventually(() => received.at(-1) === 150, { withinMs: 10_000 });
    expect(received).deep.equal(upTo(150));
    expect(seqs).deep.equal(upTo(150));
  });

  it("come as well when the worker's own connection was away", async () => {
    const user = talker();
    const socket = open(user);
    await subscribed(socket);
    await publish(user, 1);
    await until(() => amounts(socket).length === 1 || null, "the first");

    await world.redis.call("CLIENT", "KILL", "TYPE", "pubsub");
    for (const amount of [2, 3, 4]) await publish(user, amount);

    await until(() => amounts(socket).length === 4 || null, "all of them");
    await publish(user, 5);
    await until(() => amounts(socket).length === 5 || null, "the next");
    expect(amounts(socket)).deep.equal(upTo(5));
  });

  it("are there as far as the log reaches, and past it the gap is announced", async () => {
    const user = talker();
    const { epoch } = await subscribed(open(user));
    for (let from = 1; from <= 210; from += 30)
      for (const amount of upTo(from + 29, from)) await publish(user, amount);

    const reached = open(user, `${epoch}:10`, 1);
    expect(await subscribed(reached)).include({ seq: 210, recovered: true });
    await until(() => amounts(reached).length === 200 || null, "two hundred");
    const past = open(user, `${epoch}:9`, 1);
    expect(await subscribed(past)).include({ seq: 210, recovered: false });
    const ahead = open(user, `${epoch}:211`, 1);
    expect(await subscribed(ahead)).include({ seq: 210, recovered: false });
    const other = open(user, `${epoch - 1}:3`, 1);
    expect(await subscribed(other)).include({ seq: 210, recovered: false });

    expect(amounts(reached)).deep.equal(upTo(210, 11));
    expect([past, ahead, other].flatMap(amounts)).deep.equal([]);
  });

  it("begin a new epoch when Redis has lost them, which an open socket receives", async () => {
    const user = talker();
    const socket = open(user);
    const { epoch } = await subscribed(socket);
    await publish(user, 1);
    await until(() => amounts(socket).length === 1 || null, "the first");

    await world.redis.del(keys.userHead(user.userId), keys.userLog(user.userId), keys.userSeen(user.userId));
    await publish(user, 2);
    await until(() => amounts(socket).length === 2 || null, "the second");

    const notice = socket.ofType("room.epoch")[0]?.data as { epoch: number; continuous: boolean };
    expect(notice.continuous).equal(false);
    expect(notice.epoch).above(epoch);
    expect(socket.ofType("prediction.result").map(({ seq }) => seq)).deep.equal([1, 1]);
    const back = open(user, `${epoch}:1`, 1);
    expect(await subscribed(back)).deep.equal({ epoch: notice.epoch, seq: 1, recovered: false, state: {} });
  });

  it("go on in a new epoch after another server has taken over, without a loss", async () => {
    const user = talker();
    const socket = open(user);
    const { epoch } = await subscribed(socket);
    for (const amount of [1, 2]) await publish(user, amount);
    // As the log is when its server has been started anew.
    await world.redis.hset(keys.userHead(user.userId), "run", "another");
    await publish(user, 3);
    await until(() => amounts(socket).length === 3 || null, "the third");

    const back = open(user, `${epoch}:1`, 1);
    expect(await subscribed(back)).include({ seq: 1, recovered: true });
    await until(() => amounts(back).length === 2 || null, "both");
    for (const one of [socket, back]) {
      expect(one.ofType("room.epoch").map(({ data }) => Object(data).continuous)).deep.equal([true]);
      expect(one.problems).deep.equal([]);
    }
    expect(amounts(socket)).deep.equal([1, 2, 3]);
    expect(amounts(back)).deep.equal([2, 3]);
  });

  it("leave whispers out on sockets of personal tokens", async () => {
    const user = talker();
    const grant: Grant = { kind: "personal", scopes: ["user:read", "points:read"], expiresAt: null };
    const gateway = gateways[0];
    if (!gateway) throw new Error("two gateways");
    const program = world.socket(gateway, `/v1/ws/user?ticket=${world.ticketFor(user, { grant })}`);
    const own = open(user);
    const { epoch } = await subscribed(program);
    await subscribed(own);
    const whisper = {
      id: 1,
      sender_id: user.userId,
      recipient_id: newId(),
      content: "psst",
      is_read: false,
      created_at: new Date().toISOString(),
    };
    await world.userEvents.publish("whisper", [{ userId: user.userId, data: whisper }], once());
    await publish(user, 2);
    const again = world.socket(
      gateway,
      `/v1/ws/user?ticket=${world.ticketFor(user, { grant })}&after=${epoch}:0`,
    );

    await eventually(() => [program, own, again].every((socket) => amounts(socket).length === 1));
    expect([program, own, again].map((socket) => socket.ofType("whisper").length)).deep.equal([0, 1, 0]);
  });

  it("reach a thousand at once", async () => {
    const users = upTo(1_000).map(talker);
    const last = users.at(-1);
    if (!last) throw new Error("a thousand");
    const socket = open(last);
    await subscribed(socket);

    const source = once();
    const to = users.map(({ userId }, i) => ({ userId, data: result(i) }));
    for (let repeat = 0; repeat < 2; repeat++)
      await world.userEvents.publish("prediction.result", to, source);

    await until(() => amounts(socket).length === 1 || null, "the last one's");
    const lengths = await Promise.all(users.map(({ userId }) => world.redis.xlen(keys.userLog(userId))));
    expect(new Set(lengths)).deep.equal(new Set([1]));
  });
});
