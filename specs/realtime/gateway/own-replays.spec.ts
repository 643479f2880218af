import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { Grant } from "../../../contract/scopes.ts";
import type { UserEvents } from "../../../contract/wire.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import { limitsByAddress } from "../../../realtime/gateway/socket/limits.ts";
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
});
