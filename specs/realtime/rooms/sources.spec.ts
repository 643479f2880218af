import { readFileSync } from "node:fs";
import { expect } from "chai";
import { HOUR_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { keys } from "../../../store/redis/keys.ts";
import { openRoomsWorld, type RoomsWorld } from "./world.ts";

const PAGE = 5_000;

const script = readFileSync(new URL("../../../realtime/rooms/scripts/publish.lua", import.meta.url), "utf8");

/** The script, which answers how much of Redis it looked at: its commands, and all that these replied. */
const counting = `
local looked = 0
local function size(reply)
  if type(reply) ~= "table" then return 1 end
  local all = 0
  for _, part in ipairs(reply) do all = all + size(part) end
  return all
end
local server = redis
local redis = { call = function(...)
  local reply = server.call(...)
  looked = looked + 1 + size(reply)
  return reply
end }
local function run()
${script}
end
run()
return looked`;

describe("The sources of a room's events", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  async function publish({ _id }: StreamDoc, ref: string, version: number): Promise<boolean> {
    const event = { streamId: _id, type: "prediction.locked", data: {}, actor: { ref, version, n: 0 } };
    return (await world.rooms.publish(event)).published;
  }

  /** As events of so many sources leave them. */
  async function rememberSources({ _id }: StreamDoc, names: string[], agoMs: number): Promise<void> {
    const mark = `1:0:${world.clock.now() - agoMs}`;
    for (let i = 0; i < names.length; i += PAGE) {
      const fields = names.slice(i, i + PAGE).flatMap((name) => [name, mark]);
      await world.redis.hset(keys.roomActors(_id), ...fields);
    }
  }

  const named = (count: number) => Array.from({ length: count }, () => `prediction:${newId()}`);
  const known = ({ _id }: StreamDoc) => world.redis.hlen(keys.roomActors(_id));

  /** How much of Redis the next event looks at. */
  async function lookedAt(stream: StreamDoc): Promise<number> {
    const sent: string[][] = [];
    const send = world.redis.sendCommand.bind(world.redis);
    world.redis.sendCommand = (...args: Parameters<typeof send>) => {
      if (args[0].name === "evalsha") sent.push(args[0].args.map(String));
      return send(...args);
    };
    await publish(stream, "prediction:counted", 1);
    world.redis.sendCommand = send;
    const [, count = "", ...rest] = sent.at(-1) ?? [];
    const version = Number(count) + 4;
    expect([rest[version - 1], rest[version]]).deep.equal(["prediction:counted", "1"]);
    return Number(await world.redis.eval(counting, count, ...rest.with(version, "2")));
  }

  it("cost an event the same however many there are, old and young", async () => {
    const [few, many] = [await world.channel(), await world.channel()];
    await rememberSources(few, named(2_000), HOUR_MS / 2);
    await rememberSources(many, named(10_000), HOUR_MS / 2);
    await rememberSources(many, named(10_000), HOUR_MS * 2);

    const [least, most] = [await lookedAt(few), await lookedAt(many)];

    expect(least).within(20, 200);
    expect(most).within(least - 20, least + 200);
  });

  it("are known for an hour, however many there are", async () => {
    const stream = await world.channel();
    const [young, ...others] = named(4_000);
    await rememberSources(stream, [young ?? "", ...others], HOUR_MS - 60_000);

    for (let version = 1; version <= 1_000; version++) await publish(stream, "prediction:busy", version);

    expect(await known(stream)).equal(4_001);
    expect(await publish(stream, young ?? "", 1)).equal(false);
  });

  it("are forgotten after it when there are many, by so many events that they stay few", async () => {
    const stream = await world.channel();
    const young = named(1_000);
    // As the release before has left them.
    await rememberSources(stream, named(5_000), HOUR_MS * 2);
    await rememberSources(stream, young, HOUR_MS / 2);

    for (let version = 1; version <= 1_000; version++) await publish(stream, "prediction:busy", version);

    expect(await known(stream)).within(1_001, 2_000);
    for (const source of young.slice(0, 20)) expect(await publish(stream, source, 1)).equal(false);
  });
});
