import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { DataOf } from "../../../contract/wire.ts";
import { eventually } from "../../support/eventually.ts";
import { chatter, type GatewayWorld, openGatewayWorld } from "./world.ts";

type Poll = DataOf<"chat.poll">;

describe("the state of a subscription that resumes", () => {
  const reads: ((poll: Poll | null) => void)[] = [];
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld({
      roomStates: [
        async () => ({ poll: await new Promise<Poll | null>((resolve) => void reads.push(resolve)) }),
      ],
    });
  });
  after(() => world.close());

  it("isn't of a read that began before what the client has seen", async () => {
    const stream = await world.channel();
    const gateway = await world.gateway();
    const path = `/v1/ws/chat/${stream._id}`;
    const now = new Date().toISOString();
    const options = ["Left", "Right"].map((text, order) => ({ id: newId(), text, order }));
    const times = { created_at: now, ends_at: now, duration_sec: 60 };
    const poll: Poll = {
      id: newId(),
      question: "Which?",
      status: "active",
      options,
      creator_id: newId(),
      ...times,
    };
    const first = world.socket(gateway, path);
    await eventually(() => reads.length === 1, { what: "the first read" });
    // What ends the poll, as far as the gateway knows: any event after the read began.
    await chatter(world, stream, ["the poll is over"]);
    const { epoch, seq } = await world.rooms.position(stream._id);
    const resuming = world.socket(gateway, `${path}?after=${epoch}:${seq}`);
    const another = world.socket(gateway, `${path}?after=${epoch}:${seq}`);
    await Promise.all([resuming.next("hello"), another.next("hello")]);

    reads[0]?.(poll);
    await eventually(() => reads.length === 2, { what: "one more read" });
    reads[1]?.(null);

    for (const socket of [resuming, another]) {
      const { data } = await socket.next("subscribed");
      expect(data).include({ recovered: true }).nested.include({ "state.poll": null });
    }
    expect(reads, "both share the second read").length(2);
    expect((await first.next("subscribed")).data).nested.include({ "state.poll.id": poll.id });
  });
});
