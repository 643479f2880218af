import { expect } from "chai";
import { DAY_MS, MINUTE_MS } from "../../../base/durations.ts";
import { runDeletedTexts } from "../../../jobs/chat/deleted-texts/remove.ts";
import { type ChatMessageDoc, chatMessagesCollection } from "../../../store/mongo/chat/chat-messages.ts";
import { deletedTextsIn } from "../../../store/mongo/chat/deleted-texts.ts";
import { keys } from "../../../store/redis/keys.ts";
import { isServed } from "../../store/plans/query-plans.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { openStores } from "../../support/stores.ts";

describe("texts of deleted messages", () => {
  const { world, given } = setUpWorld({ stores: openOwnStores });
  let staffed: GivenStaff;
  before(() => {
    staffed = givenStaff(world, given);
  });

  const messages = () => chatMessagesCollection.in(world.core.mongo.db);

  /** A run of the job that much later. */
  const runAfter = (ms: number) =>
    runDeletedTexts({
      db: world.core.mongo.db,
      now: () => new Date(world.clock.now() + ms),
      log: quietLog(),
      rooms: world.core.rooms,
    });

  async function textOf(uuid: string): Promise<string | undefined> {
    return (await messages().findOne({ _id: uuid }))?.content;
  }

  async function logOf({ at }: Channel): Promise<string> {
    return JSON.stringify(await world.core.redis.xrange(keys.roomLog(at.stream_id), "-", "+"));
  }

  async function remove({ owner, at }: Channel, uuid: string): Promise<void> {
    await owner.api.ok("deleteChatMessage", { params: { ...at, uuid } });
    const isDeleted = async () => (await messages().findOne({ _id: uuid }))?.deletedAt instanceof Date;
    await eventually(isDeleted, { what: "the archive knows that it is deleted" });
  }

  /** As if Redis had lost the room's log since. */
  async function olderThanLog(channel: Channel, author: Person, content: string): Promise<string> {
    const uuid = await staffed.message(channel, author, content);
    await messages().updateOne({ _id: uuid }, { $inc: { epoch: -1 } });
    await world.core.redis.xtrim(keys.roomLog(channel.at.stream_id), "MAXLEN", 0);
    return uuid;
  }

  async function reported(uuid: string, by: Person): Promise<string> {
    const about = { target_type: "chat_message", target_id: uuid, reason_code: "hate" };
    return (await by.api.ok("createReport", { body: about })).id;
  }

  it("removes a text from the archive and the room's log 30 days after the deletion", async () => {
    const channel = await given.channel();
    const [earlier, gone, later] = [
      await staffed.message(channel, channel.owner, "an earlier one"),
      await staffed.message(channel, channel.owner, "what was regretted"),
      await staffed.message(channel, channel.owner, "a later one"),
    ];
    await remove(channel, gone);

    await runAfter(30 * DAY_MS - MINUTE_MS);
    expect(await textOf(gone)).equal("what was regretted");
    await runAfter(30 * DAY_MS + MINUTE_MS);

    expect(await textOf(gone)).equal("");
    const log = await logOf(channel);
    expect(log).include("a later one");
    expect(log).not.include("what was regretted");
    const { items } = await channel.owner.api.ok("listChatMessages", { params: channel.at });
    const shown = items.map(({ uuid, content, is_deleted }) => [uuid, content, is_deleted]);
    expect(shown).deep.include.members([
      [earlier, "an earlier one", false],
      [gone, "", true],
      [later, "a later one", false],
    ]);
  });

  it("keeps a text for an undecided case, and 90 days for a decided one", async () => {
    const [channel, reporter, staff] = [await given.channel(), await given.user(), await staffed.staff()];
    const uuid = await staffed.message(channel, channel.owner, "what was reported");
    const report_id = await reported(uuid, reporter);
    await remove(channel, uuid);
    const contentShown = async () => (await staff.api.ok("getReport", { params: { report_id } })).content;

    await runAfter(400 * DAY_MS);
    expect(await contentShown()).equal("what was reported");
    for (const action of ["claim", "dismiss"])
      await staff.api.ok("handleReport", { params: { report_id }, body: { action } });
    await runAfter(90 * DAY_MS - MINUTE_MS);
    expect(await contentShown()).equal("what was reported");
    await runAfter(90 * DAY_MS + MINUTE_MS);

    expect(await contentShown()).equal(null);
    expect(await textOf(uuid)).equal("");
  });

  for (const [what, hide] of [
    [
      "a ban of its author",
      ({ owner, at }: Channel, author: Person) =>
        owner.api.ok("banUser", { params: { ...at, user_id: author.id }, body: {} }),
    ],
    ["a clear", ({ owner, at }: Channel) => owner.api.ok("clearChat", { params: at })],
  ] as const) {
    it(`removes a text that ${what} hid, also one that was older than the room's log`, async () => {
      const [channel, author] = [await given.channel(), await given.user()];
      const [old, newer] = [
        await olderThanLog(channel, author, "older than the log"),
        await staffed.message(channel, channel.owner, "said by the owner"),
      ];
      await hide(channel, author);
      const later = await staffed.message(channel, channel.owner, "said later");

      await runAfter(0);
      expect(await textOf(old)).equal("older than the log");
      await runAfter(30 * DAY_MS + MINUTE_MS);

      expect(await textOf(old)).equal("");
      expect(await textOf(newer)).equal(what === "a clear" ? "" : "said by the owner");
      expect(await textOf(later)).equal("said later");
    });
  }

  it("removes the positions of a text's emotes with it", async () => {
    const channel = await given.channel();
    const uuid = await staffed.message(channel, channel.owner, "with an emote");
    const emotes: ChatMessageDoc["emotes"] = [];
    await messages().updateOne({ _id: uuid }, { $set: { emotes } });
    await remove(channel, uuid);

    await runAfter(31 * DAY_MS);

    expect(await messages().findOne({ _id: uuid })).not.have.property("emotes");
  });

  it("finds the texts, and the cases that name them, by indexes", async () => {
    const stores = await openStores(world.core.mongo.db.databaseName, { monitorCommands: true });
    const texts = deletedTextsIn(stores.mongo.db);
    const firstOf = async () => {
      for await (const batch of texts.before(new Date(), { limit: 10, size: 10 })) return batch;
      return [];
    };

    await isServed(stores, firstOf, 0)
      .then(() => isServed(stores, () => texts.reportedAmong(["a", "b"], new Date()), 0))
      .finally(() => stores.close());
  });

  it("keeps a text that a ban hid for an undecided case", async () => {
    const [channel, author] = [await given.channel(), await given.user()];
    const uuid = await olderThanLog(channel, author, "what was reported");
    await reported(uuid, await given.user());
    await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: author.id }, body: {} });
    await runAfter(0);
    await runAfter(40 * DAY_MS);
    expect(await textOf(uuid)).equal("what was reported");
  });
});
