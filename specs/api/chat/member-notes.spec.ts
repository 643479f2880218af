import { expect } from "chai";
import { memberNotesCollection } from "../../../store/mongo/chat/member-notes.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("moderators' notes about a member", () => {
  const { world, given } = setUpWorld();
  let channel: Channel;
  let moderator: Person;
  let bob: Person;

  beforeEach(async () => {
    channel = await given.channel();
    moderator = await given.moderatorOf(channel);
    bob = await given.user();
  });

  const ofBob = () => ({ ...channel.at, user_id: bob.id });
  const add = (by: Person, text: string, idempotencyKey?: string) =>
    by.api.ok("createMemberNote", {
      params: ofBob(),
      body: { text },
      ...(idempotencyKey && { headers: { "idempotency-key": idempotencyKey } }),
    });
  const textsFor = async (reader: Person) =>
    (await reader.api.ok("listMemberNotes", { params: ofBob() })).items.map(({ text }) => text);

  it("are read by every moderator with author and time, newest first, and never by the member", async () => {
    await add(moderator, "Spams links");
    const note = await add(channel.owner, "Apologised");
    expect(note).deep.include({ text: "Apologised" });
    expect(note.author.id).equal(channel.owner.id);
    expect(await textsFor(moderator)).deep.equal(["Apologised", "Spams links"]);
    expect((await bob.api.call("listMemberNotes", { params: ofBob() })).status).equal(403);
  });

  it("about a moderator are read and added by the other moderators and the owner alone", async () => {
    const other = await given.moderatorOf(channel);
    const params = { ...channel.at, user_id: moderator.id };
    await other.api.ok("createMemberNote", { params, body: { text: "Too strict" } });
    const codeOf = async (call: Promise<{ code?: string | null }>) => (await call).code;
    expect(await codeOf(moderator.api.call("listMemberNotes", { params }))).equal("forbidden");
    const body = { text: "I am not" };
    expect(await codeOf(moderator.api.call("createMemberNote", { params, body }))).equal("forbidden");
    const { items } = await channel.owner.api.ok("listMemberNotes", { params });
    expect(items.map(({ text }) => text)).deep.equal(["Too strict"]);
    const own = { ...channel.at, user_id: channel.owner.id };
    await channel.owner.api.ok("createMemberNote", { params: own, body });
    expect((await channel.owner.api.ok("listMemberNotes", { params: own })).items.length).equal(1);
  });

  it("are added once when the same request arrives twice", async () => {
    const [first, second] = [await add(moderator, "Once", "k1"), await add(moderator, "Once", "k1")];
    expect(second).deep.equal(first);
    expect(await textsFor(moderator)).deep.equal(["Once"]);
  });

  it("are deleted by their author or the channel's owner alone", async () => {
    const [ofOwner, ofModerator] = [await add(channel.owner, "One"), await add(moderator, "Two")];
    const remove = async (by: Person, note_id: string) =>
      (await by.api.call("deleteMemberNote", { params: { ...ofBob(), note_id } })).status;
    expect(await remove(moderator, ofOwner.id)).equal(403);
    expect(await remove(channel.owner, ofModerator.id)).equal(200);
    expect(await remove(channel.owner, ofOwner.id)).equal(200);
    expect(await textsFor(moderator)).deep.equal([]);
  });

  it("end at a hundred about one member", async () => {
    const notes = memberNotesCollection.in(world.core.mongo.db);
    const { stream_id: streamId } = channel.at;
    const rest = { streamId, userId: bob.id, authorId: moderator.id, text: "x", createdAt: new Date() };
    await notes.insertMany(Array.from({ length: 100 }, (_, n) => ({ _id: `${bob.id}-${n}`, ...rest })));
    const { status, code } = await moderator.api.call("createMemberNote", {
      params: ofBob(),
      body: { text: "One more" },
    });
    expect([status, code]).deep.equal([409, "limit_reached"]);
  });
});
