import { expect } from "chai";
import { atOnce } from "../../stress/at-once.ts";
import { eventually } from "../../support/eventually.ts";
import { type GatewayWorld, openGatewayWorld } from "../gateway/world.ts";
import { talker } from "../rooms/world.ts";
import { RoomReader } from "../wire/room-reader.ts";

/** More than one piece. */
const SOCKETS = 700;
const COMING_AND_GOING = 100;

describe("A room that is sent to in pieces", function () {
  this.timeout(60_000);
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());

  it("shows each socket everything from where it joined on, while others come, leave and come back", async () => {
    const { port } = await world.gateway();
    const stream = await world.channel();
    const readers: RoomReader[] = [];
    async function open(after?: string): Promise<RoomReader> {
      const place = { port, streamId: stream._id, ...(after === undefined ? {} : { after }) };
      const reader = new RoomReader(place);
      readers.push(reader);
      present.add(reader);
      await eventually(() => reader.isSubscribed, { withinMs: 20_000, what: "it is in" });
      return reader;
    }
    const present = new Set<RoomReader>();
    function cut(reader: RoomReader): void {
      present.delete(reader);
      reader.socket.cut();
    }
    const all = await atOnce(50, Array.from({ length: SOCKETS }), () => open());
    let isTalking = true;
    let sent = 0;
    const talk = async () => {
      for (; isTalking; sent++) await world.say(stream, talker(), `message ${sent}`);
    };
    const comeAndGo = () =>
      atOnce(4, all.slice(-COMING_AND_GOING), async (reader) => {
        const before = reader.position;
        cut(reader);
        await open(before);
        cut(await open());
      });

    const talking = talk();
    await comeAndGo().finally(() => {
      isTalking = false;
    });
    await talking;

    const isUpToDate = () => [...present].every(({ seq }) => seq === sent);
    await eventually(isUpToDate, { withinMs: 20_000, what: "all of it was shown to all who are there" });
    for (const { missing, repeated } of readers) expect([missing, repeated]).deep.equal([0, 0]);
    for (const { socket } of readers) socket.cut();
  });
});
