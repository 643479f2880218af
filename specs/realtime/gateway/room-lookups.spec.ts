import { randomInt } from "node:crypto";
import { expect } from "chai";
import { clientAddressBehind, networksFrom } from "../../../base/addresses.ts";
import { newId } from "../../../base/ids.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import { limitsByAddress } from "../../../realtime/gateway/socket/limits.ts";
import { type GatewayWorld, openGatewayWorld } from "./world.ts";

const UNKNOWN_ROOMS = 3;

describe("rooms that a worker sees for the first time", () => {
  let world: GatewayWorld;
  let gateway: Gateway;
  let address: string;
  const lookups: string[] = [];
  before(async () => {
    world = await openGatewayWorld({ clientAddress: clientAddressBehind(networksFrom(["127.0.0.1"])) });
  });
  after(() => world.close());

  beforeEach(async () => {
    const { streams } = world;
    lookups.length = 0;
    const rooms = world.otherRooms({
      streams: {
        ...streams,
        find: (streamId) => {
          lookups.push(streamId);
          return streams.find(streamId);
        },
      },
    });
    gateway = await world.gateway({
      rooms,
      limits: { ...limitsByAddress(1_000), unknownRoomsPerIp: UNKNOWN_ROOMS },
    });
    address = `2001:db8:${randomInt(0x10000).toString(16)}:${randomInt(0x10000).toString(16)}::1`;
  });

  const channels = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await world.channel())._id));

  /** What one socket is answered that is present in all of them at once, which needs nothing else of a room: "ok" or codes. */
  async function watch(streamIds: readonly string[]): Promise<string[]> {
    const socket = world.socket(gateway, "/v1/ws", { address });
    await socket.next("hello");
    const replies = await Promise.all(
      streamIds.map((streamId) => socket.command("heartbeat", { stream_id: streamId, device_id: "d" })),
    );
    return replies.map(({ error }) => error?.code ?? "ok");
  }

  it("are all let in when they exist, however many are looked up at once", async () => {
    const streamIds = await channels(45);

    expect(new Set(await watch(streamIds))).deep.equal(new Set(["ok"]));

    const [later = ""] = await channels(1);
    await world.socket(gateway, `/v1/ws/chat/${later}`, { address }).next("subscribed");
  });

  it("are looked up 16 at once at most past the limit of unknown rooms", async () => {
    const codes = await watch(Array.from({ length: 45 }, newId));

    expect(lookups).length.within(UNKNOWN_ROOMS, UNKNOWN_ROOMS + 16);
    expect(codes.filter((code) => code === "not_found")).length(lookups.length);
    expect(codes.filter((code) => code === "rate_limited")).length(45 - lookups.length);
  });

  it("are let in without the database when Redis knows them, also after that limit", async () => {
    const [known = "", unused = ""] = await channels(2);
    await world.rooms.memberState(known, null);
    await world.rooms.identityOf(known);
    await watch(Array.from({ length: 45 }, newId));
    lookups.length = 0;

    await world.socket(gateway, `/v1/ws/chat/${known}`, { address }).next("subscribed");
    const { status, body } = await world.socket(gateway, `/v1/ws/chat/${unused}`, { address }).refusal();

    expect(status).equal(429);
    expect(body).nested.include({ "details.bucket": "unknown_rooms", "details.limit": UNKNOWN_ROOMS });
    expect(lookups).deep.equal([]);
  });
});
