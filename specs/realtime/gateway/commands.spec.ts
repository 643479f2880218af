// @waits: for the limits of a socket.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import { eventually } from "../../support/eventually.ts";
import { once, talker } from "../rooms/world.ts";
import { type GatewayWorld, openGatewayWorld, textsIn, until } from "./world.ts";

const changed = (change: { balance: number; version: number; channel_user_id?: string }) => ({
  channel_user_id: newId(),
  delta: 10,
  reason: "presence",
  ...change,
});

describe("commands over a socket", () => {
  let world: GatewayWorld;
  let gateway: Gateway;
  before(async () => {
    world = await openGatewayWorld();
    gateway = await world.gateway();
  });
  after(() => world.close());

  const signedIn = (user = talker()) => world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(user)}`);

  it("sends, shows everyone, deletes; and repeats a nonce's answer", async () => {
    const stream = await world.channel();
    const channel = `chat:${stream._id}`;
    const [sender, viewer] = [signedIn(), world.socket(gateway, `/v1/ws/chat/${stream._id}`)];
    await viewer.next("subscribed");

    const sent = await sender.command("chat.send", { channel, content: "hello", nonce: "n1" });
    const again = await sender.command("chat.send", { channel, content: "hello", nonce: "n1" });
    const shown = await viewer.next("chat.message");
    const { message } = sent.data as { message: { uuid: string } };
    await sender.command("chat.delete", { channel, uuid: message.uuid });
    const deleted = await viewer.next("chat.message_deleted");

    expect(again.data).deep.equal(sent.data);
    expect(shown).deep.include({ channel, seq: 1, data: message });
    expect(deleted).deep.include({ seq: 2, data: { uuid: message.uuid } });
    expect([...sender.problems, ...viewer.problems]).deep.equal([]);
  });

  it("takes controls of text direction out of messages", async () => {
    const stream = await world.channel();
    const channel = `chat:${stream._id}`;
    const socket = signedIn();

    const sent = await socket.command("chat.send", {
      channel,
      content: "\u202egnp\u202c \u2066and\u2069 more",
    });

    expect(sent).nested.include({ "data.message.content": "gnp and more" });
    expect(await socket.command("chat.send", { channel, content: "\u202e" })).nested.include({
      "error.code": "validation_failed",
    });
  });

  it("answers refusals with REST's codes", async () => {
    const stream = await world.channel({ slow: true, slowSeconds: 30 });
    const channel = `chat:${stream._id}`;
    const socket = signedIn();
    await socket.command("chat.send", { channel, content: "one" });
    const unknown = `chat:${newId()}`;

    expect(await socket.command("chat.send", { channel, content: "two" })).nested.property("error.code");
    expect(await socket.command("chat.send", { channel: unknown, content: "a" })).nested.include({
      "error.code": "not_found",
    });
    expect(await socket.malformed("chat.send", { channel, content: "" })).nested.include({
      "error.code": "validation_failed",
    });
    expect(await socket.command("subscribe", { channel: unknown })).nested.include({
      "error.code": "not_found",
    });
    expect(await socket.command("heartbeat", { stream_id: stream._id })).nested.include({
      "data.viewer_count": 1,
    });
    expect(socket.problems).deep.equal([]);
  });

  it("follows and leaves channels, and answers before what follows", async () => {
    const stream = await world.channel();
    const channel = `chat:${stream._id}`;
    const socket = signedIn();
    await socket.command("subscribe", { channel });
    await socket.command("subscribe", { channel: "user" });
    expect(await socket.command("subscribe", { channel })).nested.include({ "error.code": "invalid_state" });
    await world.say(stream, talker(), "seen");
    await socket.next("chat.message");

    await socket.command("unsubscribe", { channel });
    await world.say(stream, talker(), "not seen");
    await socket.command("subscribe", { channel });
    await world.say(stream, talker(), "seen again");
    await eventually(() => textsIn(socket.messages).length === 2);

    expect(textsIn(socket.messages)).deep.equal(["seen", "seen again"]);
    const types = socket.messages.map(({ type }) => type);
    expect(types.slice(0, 3)).deep.equal(["hello", "reply", "subscribed"]);
    expect(socket.problems).deep.equal([]);
  });

  it("brings changes of a balance in the order in which they happened, and none that is older than the one before", async () => {
    const user = talker();
    const socket = world.socket(gateway, `/v1/ws/user?ticket=${world.ticketFor(user)}`);
    await socket.next("subscribed");
    const [here, there] = [newId(), newId()];
    const publish = (channel_user_id: string, version: number) =>
      world.userEvents.publish(
        "points.changed",
        [{ userId: user.userId, data: changed({ channel_user_id, version, balance: version * 10 }) }],
        once(),
      );
    const received = () =>
      socket.ofType("points.changed").map(({ data }) => {
        const { channel_user_id, version } = data as ReturnType<typeof changed>;
        return `${channel_user_id === here ? "here" : "there"} ${version}`;
      });

    await publish(here, 1);
    // Two causes that publish independently of each other.
    const third = publish(here, 3);
    await publish(here, 2);
    await Promise.all([third, publish(there, 1)]);
    await until(() => received().length === 4 || null, "all four");
    await publish(here, 2);
    // One before it never comes.
    await publish(here, 5);
    await publish(here, 4);
    await until(() => received().length === 5 || null, "the fifth");

    expect(received().filter((one) => one.startsWith("here"))).deep.equal([
      "here 1",
      "here 2",
      "here 3",
      "here 5",
    ]);
    expect(received()).include("there 1");
    expect(socket.problems).deep.equal([]);
  });

  it("brings the user's own events to the user alone", async () => {
    const [one, other] = [talker(), talker()];
    const mine = world.socket(gateway, `/v1/ws/user?ticket=${world.ticketFor(one)}`);
    const theirs = world.socket(gateway, `/v1/ws/user?ticket=${world.ticketFor(other)}`);
    await Promise.all([mine.next("subscribed"), theirs.next("subscribed")]);

    const data = changed({ balance: 10, version: 1 });
    await world.userEvents.publish("points.changed", [{ userId: one.userId, data }], once());

    expect((await mine.next("points.changed")).data).deep.equal(data);
    expect(await theirs.command("ping")).property("data");
    expect(theirs.ofType("points.changed")).deep.equal([]);
    expect(mine.problems).deep.equal([]);
  });

  it("closes with 4400 after twenty frames of garbage, and lives on", async () => {
    const socket = signedIn();
    await socket.next("hello");
    const garbage = ["", "{", "[]", "null", "1", '"x"', "{}", '{"id":1}', '{"id":{},"method":"ping"}'];
    const more = ['{"id":1,"method":"__proto__"}', '{"id":1,"method":"ping","params":[]}', "\u0000", "[[[["];

    for (const text of [...garbage, ...more, ...garbage].slice(0, 20)) socket.ws.sendMalformed(text);

    expect(await socket.ending()).deep.equal({ code: 4400, reason: "bad_request" });
    expect(await signedIn().command("ping")).property("data");
  });

  it("closes a socket that sends a frame over 8 KiB, and lives on", async () => {
    const socket = signedIn();
    await socket.next("hello");
    socket.ws.sendMalformed("x".repeat(9 * 1024));
    await socket.ending();
    expect(await signedIn().command("ping")).property("data");
  });

  it("refuses commands of a socket that sends too many, then closes it with 4029", async () => {
    const socket = signedIn();
    await socket.next("hello");
    for (let id = 0; id < 400; id++) socket.ws.send(JSON.stringify({ id, method: "ping" }));

    expect((await socket.ending()).code).equal(4029);
    expect(socket.ofType("reply").some(({ error }) => error?.code === "rate_limited")).equal(true);
  });

  it("counts viewers on their channel and shows the stream's own events there without numbers", async () => {
    const stream = await world.channel();
    const socket = world.socket(gateway, `/v1/ws/viewers/${stream._id}`);
    const subscribed = await socket.next("subscribed");
    expect(subscribed.data).deep.include({ epoch: null, seq: null, recovered: null });

    await world.presence.heartbeat({ streamId: stream._id, viewer: { userId: newId() } });
    await world.act(stream._id, "stream.live", live(stream._id));

    expect(await socket.next("stream.live")).not.property("seq");
    const count = await until(() => socket.ofType("viewers.count")[0], "the count", 8_000);
    expect(count.data).deep.equal({ viewer_count: 1 });
    expect(socket.problems).deep.equal([]);
  });
});

const live = (streamId: string) => ({ stream_id: streamId, live_since: new Date().toISOString() });
