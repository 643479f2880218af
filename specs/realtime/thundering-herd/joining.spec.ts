import { expect } from "chai";
import { hasFields } from "../../stress/parent.ts";
import { eventually } from "../../support/eventually.ts";
import { type GatewayWorld, openGatewayWorld, textsIn } from "../gateway/world.ts";
import { talker } from "../rooms/world.ts";

describe("Joining a room", () => {
  let world: GatewayWorld;
  /** Reads of what stands beside the room, which a spec can hold up. */
  let reads = 0;
  let gate: Promise<void> = Promise.resolve();
  before(async () => {
    world = await openGatewayWorld({
      roomStates: [
        async () => {
          reads++;
          await gate;
          return { prediction: null };
        },
      ],
      streams: {
        async find() {
          reads++;
          await gate;
          return null;
        },
      },
    });
  });
  after(() => world.close());

  /** The next reads wait until what is returned is called. */
  function hold(): () => void {
    let open = () => undefined as undefined;
    gate = new Promise((resolve) => {
      open = () => void resolve();
    });
    return open;
  }

  it("delivers what happens while the room's state is read, after that state", async () => {
    const gateway = await world.gateway();
    const stream = await world.channel();
    const release = hold();
    const [before] = [reads];
    const socket = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
    await eventually(() => reads > before);

    await world.say(stream, talker(), "meanwhile");
    const another = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
    await another.next("hello");
    release();
    await world.say(stream, talker(), "afterwards");

    for (const one of [socket, another]) {
      await eventually(() => textsIn(one.messages).length === 2);
      const { data } = await one.next("subscribed");
      expect(data).include({ seq: 0, recovered: null });
      expect(textsIn(one.messages)).deep.equal(["meanwhile", "afterwards"]);
      expect(one.problems).deep.equal([]);
    }
  });

  it("shows viewers a broadcast that began while its state was read", async () => {
    const gateway = await world.gateway();
    const stream = await world.channel();
    const chat = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
    await chat.next("subscribed");
    const release = hold();
    const before = reads;
    const viewer = world.socket(gateway, `/v1/ws/viewers/${stream._id}`);
    await eventually(() => reads > before);

    await world.act(stream._id, "stream.live", {
      stream_id: stream._id,
      live_since: new Date().toISOString(),
    });
    await chat.next("stream.live");
    release();

    expect((await viewer.next("subscribed")).data).nested.include({ "state.is_live": true });
    expect(viewer.problems).deep.equal([]);
  });

  it("reads once what is the same for all who come at once", async () => {
    const gateway = await world.gateway();
    const stream = await world.channel();
    const before = reads;
    const sockets = Array.from({ length: 40 }, () => world.socket(gateway, `/v1/ws/chat/${stream._id}`));

    await Promise.all(sockets.map((socket) => socket.next("subscribed")));

    // Within some moments, on a busy machine.
    expect(reads - before).within(1, 20);
  });

  it("reads anew what was read a while ago", async () => {
    const gateway = await world.gateway();
    const stream = await world.channel();
    const slowOf = async () => {
      const { data } = await world.socket(gateway, `/v1/ws/chat/${stream._id}`).next("subscribed");
      if (!hasFields(data, "state", "seq")) throw new Error("no state");
      return hasFields(data.state, "modes") && hasFields(data.state.modes, "slow")
        ? data.state.modes.slow
        : null;
    };
    expect(await slowOf()).equal(null);

    const modes = { ...stream.modes, slow: true, slowSeconds: 7 };
    const published = { chat_enabled: true, slow: 7, emote_only: false, ...CALM };
    await world.act(stream._id, "chat.modes", published, [{ kind: "modes", modes }]);

    await eventually(async () => (await slowOf()) === 7, { withinMs: 1_000 });
  });
});

const CALM = { followers_only: null, unique_chat: false, shield_mode: false };
