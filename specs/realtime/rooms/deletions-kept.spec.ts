// @waits: for runs of the archive.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { migrate } from "../../../store/mongo/schema/migrate.ts";
import { lossesIn } from "./losses.ts";
import { openRoomsWorld, quiet, type RoomsWorld, talker } from "./world.ts";

describe("A message that was deleted", () => {
  let world: RoomsWorld;
  let losses: ReturnType<typeof lossesIn>;
  before(async () => {
    world = await openRoomsWorld();
    await migrate(world.stores.mongo, { clock: world.clock, log: quiet });
    losses = lossesIn(world);
  });
  after(() => world.close());

  /** By the room's owner; answered. */
  const remove = ({ _id: streamId, userId }: StreamDoc, uuid: string) =>
    world.core.moderation.deleteMessage({
      streamId,
      uuid,
      by: userId,
      origin: { ip: "192.0.2.1", userAgent: null, requestId: "spec" },
    });

  async function roomOfTwo() {
    const stream = await world.channel();
    const { message } = await world.say(stream, talker(), "to be deleted");
    await world.say(stream, talker(), "kept");
    return { stream, uuid: message.uuid };
  }

  it("stays so when Redis loses everything before the archive has received it", async () => {
    const { stream, uuid } = await roomOfTwo();
    await losses.archive(stream, 2);
    await remove(stream, uuid);
    await losses.loseLast(stream);
    await losses.loseAll(stream);
    await losses.archive(stream, 2);

    expect(await losses.shown(stream)).deep.equal(["", "kept"]);
  });

  it("stays so when it is archived after that, by an archive that never receives the deletion", async () => {
    const { stream, uuid } = await roomOfTwo();
    await remove(stream, uuid);
    await losses.loseLast(stream);
    await losses.archive(stream, 2);
    expect(await losses.shown(stream)).deep.equal(["", "kept"]);
    await losses.loseAll(stream);

    expect(await losses.shown(stream)).deep.equal(["", "kept"]);
    const doc = await chatMessagesIn(world.db).find(stream._id, uuid);
    expect(doc?.content, "for reports").equal("to be deleted");
  });

  it("is known to have been there when all that Redis had is lost before it is archived", async () => {
    const { stream, uuid } = await roomOfTwo();
    await remove(stream, uuid);
    await losses.loseAll(stream);

    expect(await losses.shown(stream)).deep.equal([""]);
  });

  it("stays so at a server that has the log and never received the deletion", async () => {
    const { stream, uuid } = await roomOfTwo();
    await remove(stream, uuid);
    await losses.loseLast(stream);

    expect(await losses.shown(stream), "while no state was loaded").deep.equal(["", "kept"]);
    await world.say(stream, talker(), "after it");
    expect(await losses.shown(stream)).deep.equal(["", "kept", "after it"]);
    expect(await losses.replayed(stream)).not.include("to be deleted");
  });

  it("is deleted once, however it and its archiving come together", async () => {
    const archive = chatMessagesIn(world.db);
    const stream = await world.channel();
    const sent = await Promise.all([...Array(5).keys()].map((i) => world.say(stream, talker(), `m${i}`)));
    const removing = sent.map(({ message }) => remove(stream, message.uuid));

    await Promise.all([losses.archive(stream, 5), ...removing]);

    expect(await losses.shown(stream)).deep.equal(sent.map(() => ""));
    expect((await archive.pageBefore(stream._id, null, 100)).map(({ seq }) => seq)).deep.equal(
      sent.map(({ seq }) => seq).sort((a, b) => b - a),
    );
  });

  it("goes on being shown when its deletion wasn't answered because the act came to nothing", async () => {
    const { stream, uuid } = await roomOfTwo();
    const { streamId, userId } = { streamId: stream._id, userId: newId() };
    const origin = { ip: "192.0.2.1", userAgent: null, requestId: "spec" };
    const refused = await world.core.moderation
      .deleteMessage({ streamId, uuid, by: userId, origin })
      .catch((err: { code: string }) => err.code);
    await losses.archive(stream, 2);

    expect(refused).equal("forbidden");
    expect(await losses.shown(stream)).deep.equal(["to be deleted", "kept"]);
  });
});
