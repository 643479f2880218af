import { expect } from "chai";
import { BROADCAST_GRACE_MS, FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("ingest hooks", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const isLive = async ({ owner, at }: Channel) => (await owner.api.ok("getStream", { params: at })).is_live;

  it("bring a stream live five seconds after its publisher came, and end it 90 s after it went", async () => {
    const channel = await given.channel();
    const key = channel.stream.stream_key;

    expect((await given.hook("publish", { key })).status).equal(200);
    expect(await isLive(channel)).equal(false);
    world.clock.move(FIRST_PICTURE_MS);
    await eventually(() => isLive(channel));

    await given.hook("publish_done", { key });
    expect(await isLive(channel)).equal(true);
    world.clock.move(BROADCAST_GRACE_MS);
    await eventually(async () => !(await isLive(channel)));
  });

  it("make a history for the owner and staff: live and offline, with the steps inside", async () => {
    const channel = await given.liveChannel();
    const { owner, at, stream } = channel;
    await given.hook("publish_done", { key: stream.stream_key });
    world.clock.move(BROADCAST_GRACE_MS);
    await eventually(async () => !(await isLive(channel)));

    const { items, total } = await owner.api.ok("getStreamHistory", { params: at });

    expect(items.map(({ event, from, to, detail }) => [event, from, to, detail])).deep.equal([
      ["create", null, "offline", null],
      ["published", "offline", "offline", "starting"],
      ["timer", "offline", "live", null],
      ["publishEnded", "live", "live", "interrupted"],
      ["timer", "live", "offline", null],
    ]);
    expect(total).equal(5);
    const viewer = await given.user();
    expect((await viewer.api.call("getStreamHistory", { params: at })).code).equal("forbidden");
  });

  it("let a publisher back in within the grace, in the same broadcast", async () => {
    const channel = await given.liveChannel();
    const key = channel.stream.stream_key;
    const { sessionId } = await world.core.channels.require(channel.at.stream_id);

    await given.hook("publish_done", { key });
    const back = await given.hook("publish", { key, clientId: "2" });
    world.clock.move(BROADCAST_GRACE_MS + 30_000);
    await world.jobs.timers.tick();

    expect(back.status).equal(200);
    expect(await world.core.channels.require(channel.at.stream_id)).include({ isLive: true, sessionId });
  });

  it("refuse a second publisher, whose end doesn't end the first one's broadcast", async () => {
    const channel = await given.liveChannel();
    const key = channel.stream.stream_key;

    const second = await given.hook("publish", { key, clientId: "2" });
    const secondDone = await given.hook("publish_done", { key, clientId: "2" });
    world.clock.move(BROADCAST_GRACE_MS + 30_000);
    await world.jobs.timers.tick();

    expect([second.status, second.code]).deep.equal([409, "publisher_connected"]);
    expect(secondDone.status).equal(200);
    expect(await isLive(channel)).equal(true);
  });

  it("rename the stream to its public id on demand, without a body that names the key", async () => {
    const { stream, at } = await given.channel();

    const answer = await given.hook("publish", { key: stream.stream_key, query: { rename: "1" } });

    expect(answer.status).equal(302);
    expect(answer.headers.get("location")).equal(at.stream_id);
    expect(JSON.stringify(answer.body ?? "")).not.contain(stream.stream_key);
  });

  it("take no field from the publisher's own query", async () => {
    const [attacker, victim] = [await given.channel(), await given.channel()];
    const append = `&name=${victim.stream.stream_key}&clientid=9`;

    await given.hook("publish", { key: attacker.stream.stream_key, append });
    world.clock.move(FIRST_PICTURE_MS);
    await eventually(() => isLive(attacker));

    expect(await isLive(victim)).equal(false);
  });

  it("refuse an unknown key without repeating it", async () => {
    const answer = await given.hook("publish", { key: "live_guess_of_a_key" });

    expect([answer.status, answer.code]).deep.equal([403, "stream_key_refused"]);
    expect(JSON.stringify(answer.body)).not.contain("live_guess_of_a_key");
    expect((await given.hook("publish_done", { key: "live_guess_of_a_key" })).status).equal(200);
  });

  it("need the system key, in a header or in the query", async () => {
    const { stream } = await given.channel();
    const body = `call=publish&name=${stream.stream_key}&clientid=1&addr=127.0.0.1`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const publish = (query: Record<string, string>, more = {}) =>
      world.api.call("ingestPublish", { body, query, headers: { ...headers, ...more } });

    expect((await publish({})).code).equal("system_key_required");
    expect((await publish({ system_key: "wrong" })).code).equal("system_key_required");
    expect((await publish({}, { "x-system-key": "wrong" })).code).equal("system_key_required");
    expect((await publish({ system_key: world.ingestKey })).status).equal(200);
    shows("auth.system_key");
  });

  it("refuse bodies that no RTMP server sends", async () => {
    const key = (await given.channel()).stream.stream_key;
    const headers = {
      "x-system-key": world.ingestKey,
      "content-type": "application/x-www-form-urlencoded",
    };
    const bodies = ["", "name=", `name=${key}`, `call=play&name=${key}&clientid=1&addr=1`];

    for (const body of bodies) {
      const answer = await world.api.call("ingestPublish", { body, headers });
      expect([answer.status, answer.code], body).deep.equal([400, "validation_failed"]);
    }
    const json = await world.api.call("ingestPublish", {
      body: { name: key },
      headers: { "x-system-key": world.ingestKey },
    });
    expect(json.status).equal(415);
  });
});
