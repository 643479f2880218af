// @waits: for the time limits of sockets.
import { expect } from "chai";
import { MongoDeadline } from "../../../base/failures/mongo.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { createViewerCounts } from "../../../realtime/gateway/channels/viewer-counts.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import { eventually } from "../../support/eventually.ts";
import { quiet, talker } from "../rooms/world.ts";
import { chatter, type GatewayWorld, openGatewayWorld, textsIn } from "./world.ts";

const never = () => new Promise<never>(() => undefined);

describe("a socket while a store hangs", function () {
  this.timeout(60_000);
  let world: GatewayWorld;
  let gateway: Gateway;
  let predictionReads = 0;
  before(async () => {
    world = await openGatewayWorld({
      watching: { heartbeat: never },
      moderation: { deleteMessage: never, command: never, ranAsCommand: never },
      roomStates: [
        never,
        () => {
          predictionReads++;
          return never();
        },
      ],
    });
    gateway = await world.gateway();
  });
  after(() => world.close());

  const signedIn = () => world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(talker())}`);

  it("sends past what hangs, which is refused by a deadline", async () => {
    const stream = await world.channel();
    const channel = `chat:${stream._id}`;
    const socket = signedIn();
    const hanging = [
      socket.command("heartbeat", { stream_id: stream._id }, 8_000),
      socket.command("heartbeat", { stream_id: stream._id }, 8_000),
      socket.command("chat.delete", { channel, uuid: newId() }, 8_000),
    ];

    const sent = await socket.command("chat.send", { channel, content: "past it" }, 1_000);
    expect(sent).property("data");
    expect(socket.ofType("reply")).length(1);

    // All in the time of one, though the second heartbeat has waited for the first.
    for (const reply of await Promise.all(hanging)) {
      expect(reply).nested.include({ "error.code": "unavailable", "error.details.retry_after_ms": 1_000 });
    }
  });

  it("acts by /me in its channel's turn, past a command that hangs", async () => {
    const channel = `chat:${(await world.channel())._id}`;
    const socket = signedIn();
    const hanging = ["/clear", "/nothing"].map((content) =>
      socket.command("chat.send", { channel, content }, 8_000),
    );

    const acted = await socket.command("chat.send", { channel, content: "/me waves" }, 1_000);
    expect(acted).nested.include({ "data.message.type": "action", "data.message.content": "waves" });
    for (const reply of await Promise.all(hanging))
      expect(reply).nested.include({ "error.code": "unavailable" });
  });

  it("joins without prediction and poll, and others don't even read them for a while", async () => {
    const streams = await Promise.all([world.channel(), world.channel(), world.channel()]);
    predictionReads = 0;
    for (const [n, { _id }] of streams.entries()) {
      const socket = world.socket(gateway, `/v1/ws/chat/${_id}`);
      const { data } = await socket.next("subscribed");
      expect(data).nested.property("state.viewer_count");
      expect(data).property("state").not.any.keys("prediction", "poll");
      expect(socket.problems).deep.equal([]);
      expect(predictionReads, `predictions read at the ${n + 1}. subscription`).equal(1);
    }
  });

  it("leaves a channel in the middle of a replay", async () => {
    const stream = await world.channel();
    await chatter(
      world,
      stream,
      Array.from({ length: 700 }, (_, i) => `m${i}`),
    );
    const { epoch } = await world.rooms.position(stream._id);
    const channel = `chat:${stream._id}`;
    const socket = signedIn();
    await socket.next("hello");
    const [subscribed, left] = await Promise.all([
      socket.command("subscribe", { channel, after: `${epoch}:0` }),
      socket.command("unsubscribe", { channel }),
    ]);
    expect(subscribed).property("data");
    expect(left).property("data");

    const shown = textsIn(socket.messages).length;
    await socket.command("ping");
    await world.say(stream, talker(), "not for who has left");
    await socket.command("ping");
    expect(textsIn(socket.messages)).length(shown);
    expect(shown).below(700);
  });
});

describe("a ticket", () => {
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());

  it("is still good after its socket was refused for another reason", async () => {
    const user = talker();
    let isUnavailable = true;
    const gateway = await world.gateway({
      limits: { socketsPerUser: 1 },
      rooms: {
        ...world.rooms,
        async position(streamId) {
          if (isUnavailable)
            throw new ServiceError("unavailable", { retry_after_ms: 1_000 }, { cause: new MongoDeadline() });
          return world.rooms.position(streamId);
        },
      },
    });
    const { _id: streamId } = await world.channel();
    const ticket = world.ticketFor(user);
    const connect = (path: string) => world.socket(gateway, `${path}?ticket=${ticket}`);
    const refused = async (path: string) => (await connect(path).refusal()).status;

    // No such room; one that can't be loaded; too many sockets; another site's page.
    expect(await refused(`/v1/ws/chat/${newId()}`)).equal(404);
    expect(await refused(`/v1/ws/chat/${streamId}`)).equal(503);
    const open = world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(user)}`);
    await open.next("hello");
    expect(await refused("/v1/ws")).equal(429);
    open.terminate();
    await eventually(() => gateway.stats().sockets === 0);

    isUnavailable = false;
    const socket = connect(`/v1/ws/chat/${streamId}`);
    expect((await socket.next("hello")).data).include({ user_id: user.userId });
    await socket.next("subscribed");
    socket.terminate();
    await eventually(() => gateway.stats().sockets === 0);
    expect(await refused("/v1/ws")).equal(401);
  });

  it("is still good after its client left while a store was slow", async () => {
    let answer = () => undefined as unknown;
    let isReading = false;
    const gateway = await world.gateway({
      rooms: {
        ...world.rooms,
        async position(streamId) {
          isReading = true;
          const position = await world.rooms.position(streamId);
          await new Promise<void>((answered) => {
            answer = answered;
          });
          return position;
        },
      },
    });
    const { _id: streamId } = await world.channel();
    const ticket = world.ticketFor(talker());
    const first = world.socket(gateway, `/v1/ws/chat/${streamId}?ticket=${ticket}`);
    await eventually(() => isReading);
    first.terminate();
    await first.ending();
    // A later request is answered after the gateway has seen that the first client left.
    await world.socket(gateway, "/v1/nope").refusal();

    answer();
    await world.socket(gateway, "/v1/nope").refusal();

    await world.socket(gateway, `/v1/ws?ticket=${ticket}`).next("hello");
  });
});

describe("counting viewers of many streams", () => {
  it("counts some at a time, each once in five seconds, and publishes only what has changed", async () => {
    const batches: string[][] = [];
    const shown: string[] = [];
    const counts = createViewerCounts({
      presence: {
        async countEach(streamIds) {
          batches.push([...streamIds]);
          return new Map(streamIds.map((id) => [id, id.endsWith("7") ? 5 : 0]));
        },
      },
      log: quiet,
      publish: (topic) => void shown.push(topic),
    });
    const streamIds = Array.from({ length: 1_000 }, (_, n) => `stream-${n}`);
    for (const streamId of streamIds) counts.follow(streamId, 0);

    await eventually(() => batches.flat().length >= 1_000, { withinMs: 15_000 });
    counts.stop();

    expect(Math.max(...batches.map((some) => some.length))).most(50);
    expect(new Set(batches.flat())).deep.equal(new Set(streamIds));
    expect(shown.length).equal(100);
  });
});
