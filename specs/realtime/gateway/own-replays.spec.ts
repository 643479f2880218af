import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { ServerMessage } from "../../../contract/frames.ts";
import type { Grant } from "../../../contract/scopes.ts";
import type { UserEvents } from "../../../contract/wire.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import { limitsByAddress } from "../../../realtime/gateway/socket/limits.ts";
import { keys } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { once, type Talker, talker } from "../rooms/world.ts";
import { type GatewayWorld, openGatewayWorld, type Socket } from "./world.ts";

const STREAM = newId();
const embedded: Grant = { kind: "embed", scopes: ["chat:read"], expiresAt: null, streamId: STREAM };
const personal: Grant = { kind: "personal", scopes: ["user:read", "points:read"], expiresAt: null };
const TURNS = 8;
/** As many events as a log keeps. */
const ALL = 200;
/** More than a worker reads by itself in the same time. */
const HUNDREDS = 300;
const MEGABYTE = 1_000_000;

describe("A replay of a user's own events", () => {
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());

  const publish = <Type extends keyof UserEvents>(user: Talker, type: Type, data: UserEvents[Type]) =>
    world.userEvents.publish(type, [{ userId: user.userId, data }], once());

  const whisperOf = (content: string): UserEvents["whisper"] => ({
    id: 1,
    sender_id: newId(),
    recipient_id: newId(),
    content,
    is_read: false,
    created_at: new Date().toISOString(),
  });

  async function whisper(user: Talker, { count, length }: { count: number; length: number }): Promise<void> {
    for (let n = 0; n < count; n++) await publish(user, "whisper", whisperOf("x".repeat(length)));
  }

  const resolve = (user: Talker, id: string, stream_id = STREAM) =>
    publish(user, "chat.held_resolved", { id, stream_id, outcome: "denied" });

  const mention = (user: Talker) =>
    publish(user, "chat.mention", {
      stream_id: newId(),
      message: { uuid: newId(), content: "hello", emotes: [] },
    } as unknown as UserEvents["chat.mention"]);

  async function open(gateway: Gateway, user: Talker, grant: Grant | null): Promise<Socket> {
    const socket = world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(user, { grant })}`);
    await socket.next("hello");
    return socket;
  }

  /** The answers to repeated subscriptions: codes of refusals, or whether it was recovered. */
  async function answers(socket: Socket, after: string): Promise<unknown[]> {
    const given: unknown[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const { error } = await socket.command("subscribe", { channel: "user", after });
      given.push(error ? error.code : Object(socket.ofType("subscribed").at(-1)?.data).recovered);
      if (!error) await socket.command("unsubscribe", { channel: "user" });
    }
    return given;
  }

  async function countOf(name: string): Promise<number> {
    return Number(new RegExp(`^${name}:(\\d+)`, "m").exec(await world.redis.info("stats"))?.[1]);
  }

  const idsIn = (socket: Socket) =>
    socket.ofType("chat.held_resolved").map(({ data }: ServerMessage) => Object(data).id);

  const restrict = () => world.gateway({ limits: { ...limitsByAddress(1_000), replayBytesPerUser: 20_000 } });

  for (const [holder, grant] of [
    ["a session that is sent them", null],
    ["a chat token that is sent none of them", embedded],
    ["a personal token that is sent none of them", personal],
  ] as const)
    it(`uses up its budget by the bytes that are read for ${holder}`, async () => {
      const user = talker();
      const { epoch } = await world.userEvents.position(user.userId);
      await whisper(user, { count: 20, length: 300 });
      const socket = await open(await restrict(), user, grant);

      const given = await answers(socket, `${epoch}:0`);

      expect(given.slice(0, 2)).deep.equal([true, true]);
      expect(given.at(-1)).equal("rate_limited");
      expect(socket.ofType("whisper").length > 0).equal(grant === null);
      expect(socket.problems).deep.equal([]);
    });

  it("reads nothing for a position from which the log doesn't go on", async () => {
    const user = talker();
    const { epoch } = await world.userEvents.position(user.userId);
    await whisper(user, { count: ALL + 5, length: 4_000 });
    const socket = await open(await world.gateway(), user, null);
    const before = await countOf("total_net_output_bytes");

    const positions = ["1:0", `${epoch}:1`, `${epoch}:${ALL * 2}`];
    for (const after of positions) expect(await answers(socket, after)).deep.equal(Array(TURNS).fill(false));

    // A single read of the log would be of 800 kB.
    expect((await countOf("total_net_output_bytes")) - before).below(0.5 * MEGABYTE);
    expect(socket.ofType("whisper")).deep.equal([]);
  });

  it("looks up no mention that it doesn't send", async () => {
    const user = talker();
    const { epoch } = await world.userEvents.position(user.userId);
    for (let n = 0; n < ALL; n++) await mention(user);
    const late = await open(await world.gateway(), user, embedded);
    const before = await countOf("total_commands_processed");

    expect(await answers(late, `${epoch}:0`)).deep.equal(Array(TURNS).fill(true));

    expect((await countOf("total_commands_processed")) - before).below(HUNDREDS);
    expect(late.ofType("chat.mention")).deep.equal([]);
  });

  describe("to a holder who sees a part of them", () => {
    it("has what the log still holds, however many hidden events came after the position", async () => {
      const user = talker();
      const { epoch } = await world.userEvents.position(user.userId);
      const [lost, hidden, held, last] = [newId(), newId(), newId(), newId()];
      await resolve(user, lost);
      await whisper(user, { count: 50, length: 1 });
      await resolve(user, hidden, newId());
      await resolve(user, held);
      await whisper(user, { count: ALL - 20, length: 1 });
      await resolve(user, last);
      const gateway = await world.gateway();

      const socket = await open(gateway, user, embedded);
      await socket.command("subscribe", { channel: "user", after: `${epoch}:1` });
      expect((await socket.next("subscribed")).data).include({ recovered: false });
      await eventually(() => idsIn(socket).length === 2);
      expect(idsIn(socket)).deep.equal([held, last]);
      const types = socket.messages.flatMap(({ type, ...one }) => ("channel" in one ? [type] : []));
      expect(types).deep.equal(["subscribed", "room.epoch", "chat.held_resolved", "chat.held_resolved"]);
      expect(socket.ofType("room.epoch")[0]?.data).deep.equal({ epoch, continuous: false });

      // From the last one's number on nothing is repeated.
      const seq = socket.ofType("chat.held_resolved").at(-1)?.seq;
      const again = await open(gateway, user, embedded);
      await again.command("subscribe", { channel: "user", after: `${epoch}:${seq}` });
      expect((await again.next("subscribed")).data).include({ recovered: true });
      expect(idsIn(again)).deep.equal([]);
      expect([...socket.problems, ...again.problems]).deep.equal([]);
    });

    it("has what came in a later epoch, after a notice of that", async () => {
      const user = talker();
      const before = await world.userEvents.position(user.userId);
      await whisper(user, { count: 3, length: 1 });
      await world.redis.del(
        keys.userHead(user.userId),
        keys.userLog(user.userId),
        keys.userSeen(user.userId),
      );
      const id = newId();
      await whisper(user, { count: 2, length: 1 });
      await resolve(user, id);
      const { epoch } = await world.userEvents.position(user.userId);

      for (const grant of [embedded, personal]) {
        const socket = await open(await world.gateway(), user, grant);
        await socket.command("subscribe", { channel: "user", after: `${before.epoch}:2` });
        expect((await socket.next("subscribed")).data).include({ epoch, seq: 3, recovered: false });
        expect(socket.ofType("room.epoch").map(({ data }) => data)).deep.equal([
          { epoch, continuous: false },
        ]);
        expect(idsIn(socket)).deep.equal([id]);
        expect(socket.problems).deep.equal([]);
      }
    });

    it("has no notice of an epoch when nothing of what is left is for its holder", async () => {
      const user = talker();
      const { epoch } = await world.userEvents.position(user.userId);
      await whisper(user, { count: ALL + 5, length: 1 });
      const gateway = await world.gateway();

      for (const after of ["1:0", `${epoch}:2`]) {
        const socket = await open(gateway, user, embedded);
        await socket.command("subscribe", { channel: "user", after });
        const { data } = await socket.next("subscribed");
        expect(data).deep.equal({ epoch, seq: ALL + 5, recovered: false, state: {} });
        expect(socket.ofType("room.epoch")).deep.equal([]);
      }
    });
  });
});
