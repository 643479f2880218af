import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import type { OperationId } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { givenStaffMember } from "../../support/two-factor.ts";

describe("moderation", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const act = (by: Person, operation: OperationId, { at }: Channel, on: Person, body?: object) =>
    by.api.call(operation, { params: { ...at, user_id: on.id }, ...(body ? { body } : {}) });
  const say = (person: Person, { at }: Channel, content: string) => {
    world.clock.move(2_000);
    return person.api.call("sendChatMessage", { params: at, body: { content } });
  };
  const sendMessage = async (person: Person, { at }: Channel, content: string) => {
    world.clock.move(2_000);
    return person.api.ok("sendChatMessage", { params: at, body: { content } });
  };
  const history = async ({ at }: Channel) => (await world.api.ok("listChatMessages", { params: at })).items;
  const logOf = async ({ at }: Channel) =>
    (await moderationActionsIn(world.core.mongo.db).ofStream(at.stream_id, 0, 50)).map(
      (entry) => entry.action,
    );

  it("is published to the room's moderators as the actions that the public log has values for", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const viewer = await given.user();
    const notices: unknown[] = [];
    const unsubscribe = await world.core.control.subscribe((message) => {
      if (message.type === "room.notice" && message.streamId === at.stream_id)
        notices.push(message.event.data);
    });

    await act(owner, "timeoutUser", channel, viewer, { duration_seconds: 60, reason: "loud" });
    // Turning chat off and unique chat on have no value there.
    for (const body of [{ chat_enabled: false }, { unique_chat: true }, { slow: 30 }]) {
      await owner.api.ok("updateChatSettings", { params: at, body });
    }

    await eventually(() => notices.length >= 2);
    unsubscribe();
    const { room_id } = await world.api.ok("getChatRoom", { params: at });
    const summary = ({ id, username }: Person) => ({
      id,
      username,
      username_title: username,
      image_url: null,
    });
    const common = { room_id: String(room_id), actor: summary(owner) };
    expect(notices.map((one) => ({ ...Object(one), id: "", created_at: "" }))).deep.equal([
      {
        ...common,
        id: "",
        created_at: "",
        action: "timeout",
        target: summary(viewer),
        reason: "loud",
        duration_seconds: 60,
      },
      {
        ...common,
        id: "",
        created_at: "",
        action: "slow_on",
        target: null,
        reason: null,
        duration_seconds: null,
      },
    ]);
  });

  it("bans for good: the user is silent, unseen and listed, until the ban is lifted", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const [viewer, other] = [await given.user(), await given.user()];
    await sendMessage(viewer, channel, "something nasty");
    await sendMessage(other, channel, "something nice");

    expect((await act(owner, "banUser", channel, viewer, { reason: "nasty" })).body).deep.equal({
      success: true,
    });

    expect(await say(viewer, channel, "again")).include({ status: 403, code: "banned" });
    expect((await viewer.api.ok("getChatRoom", { params: at })).restriction).deep.equal({
      type: "ban",
      reason: "nasty",
      expires_at: null,
    });
    expect((await history(channel)).map(({ content }) => content)).deep.equal(["", "something nice"]);
    expect((await owner.api.ok("listBans", { params: at })).items).deep.equal([
      { id: viewer.id, username: viewer.username },
    ]);
    shows("auth.roles.banned");

    await act(owner, "unbanUser", channel, viewer);
    await act(owner, "unbanUser", channel, viewer);
    expect((await say(viewer, channel, "sorry")).status).equal(201);
    expect((await owner.api.ok("listBans", { params: at })).total).equal(0);
    expect(await logOf(channel)).deep.equal(["unban", "ban"]);
  });

  it("times out for as long as it says", async () => {
    const channel = await given.channel();
    const viewer = await given.user();

    await act(channel.owner, "timeoutUser", channel, viewer, { duration_seconds: 60 });
    const refused = await say(viewer, channel, "already?");
    world.clock.move(60_000);

    expect(refused).include({ status: 403, code: "timed_out" });
    expect(Number(refused.details.retry_after_ms)).within(50_000, 60_000);
    expect((await say(viewer, channel, "now!")).status).equal(201);
    expect((await viewer.api.ok("getChatRoom", { params: channel.at })).restriction).equal(null);
  });

  it("ends a timeout early, and shortens no ban by one", async () => {
    const channel = await given.channel();
    const [first, second] = [await given.user(), await given.user()];

    await act(channel.owner, "timeoutUser", channel, first, { duration_seconds: 600 });
    await act(channel.owner, "untimeoutUser", channel, first);
    await act(channel.owner, "banUser", channel, second);
    const softened = await act(channel.owner, "timeoutUser", channel, second, { duration_seconds: 1 });

    expect((await say(first, channel, "thanks")).status).equal(201);
    expect(softened).deep.include({ status: 409, code: "invalid_state" });
    expect(softened.details).deep.equal({ status: "banned" });
    world.clock.move(2_000);
    expect((await say(second, channel, "still?")).code).equal("banned");
  });

  it("deletes a message by its author or by a moderator, and by nobody else", async () => {
    const channel = await given.channel();
    const { at } = channel;
    const [author, stranger] = [await given.user(), await given.user()];
    const moderator = await given.moderatorOf(channel);
    const [own, foreign] = [
      await sendMessage(author, channel, "one"),
      await sendMessage(author, channel, "two"),
    ];
    const remove = (by: Person, uuid: string) =>
      by.api.call("deleteChatMessage", { params: { ...at, uuid } });

    expect((await remove(stranger, own.uuid)).code).equal("forbidden");
    expect((await remove(author, own.uuid)).status).equal(200);
    expect((await remove(author, own.uuid)).status).equal(200);
    expect((await remove(moderator, foreign.uuid)).status).equal(200);
    expect((await remove(moderator, crypto.randomUUID())).code).equal("not_found");

    for (const item of await history(channel)) expect(item).include({ content: "", is_deleted: true });
    expect(await logOf(channel)).deep.equal(["delete_message", "mod"]);
  });

  it("clears all that was sent so far, and nothing after it", async () => {
    const channel = await given.channel();
    const viewer = await given.user();
    await sendMessage(viewer, channel, "before");

    await channel.owner.api.ok("clearChat", { params: channel.at });
    await sendMessage(viewer, channel, "after");

    expect((await history(channel)).map(({ content }) => content)).deep.equal(["", "after"]);
    expect((await viewer.api.call("clearChat", { params: channel.at })).code).equal("forbidden");
  });

  it("makes and unmakes moderators, by the owner alone", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const [viewer, stranger] = [await given.user(), await given.user()];

    await act(owner, "addModerator", channel, viewer);
    await act(owner, "addModerator", channel, viewer);
    const listed = await world.api.ok("listModerators", { params: at });
    shows("auth.roles.moderators");
    expect(listed.items).deep.equal([{ id: viewer.id, username: viewer.username }]);
    expect((await act(viewer, "addModerator", channel, stranger)).code).equal("forbidden");
    expect((await act(viewer, "timeoutUser", channel, stranger, { duration_seconds: 5 })).status).equal(200);

    await act(owner, "removeModerator", channel, viewer);
    await act(owner, "removeModerator", channel, viewer);
    expect((await act(viewer, "banUser", channel, stranger)).code).equal("forbidden");
    expect((await world.api.ok("listModerators", { params: at })).total).equal(0);
    expect(await logOf(channel)).deep.equal(["unmod", "timeout", "mod"]);
  });

  it("takes a banned moderator's rank away, and gives none to the banned", async () => {
    const channel = await given.channel();
    const moderator = await given.moderatorOf(channel);

    await act(channel.owner, "banUser", channel, moderator);
    const again = await act(channel.owner, "addModerator", channel, moderator);

    expect((await world.api.ok("listModerators", { params: channel.at })).total).equal(0);
    expect(again).include({ status: 409, code: "invalid_state" });
    expect((await moderator.api.ok("getChatRoom", { params: channel.at })).role).equal(null);
  });

  it("refuses acts on the owner, and of one moderator on another", async () => {
    const channel = await given.channel();
    const [moderator, colleague] = [await given.moderatorOf(channel), await given.moderatorOf(channel)];
    const staff = await given.user();
    await givenStaffMember(world.core, staff);
    const targets = [
      [moderator, channel.owner],
      [moderator, colleague],
      [staff, channel.owner],
    ] as const;

    for (const [by, on] of targets) {
      for (const [operation, body] of [
        ["banUser", undefined],
        ["timeoutUser", { duration_seconds: 5 }],
      ] as const) {
        expect(await act(by, operation, channel, on, body)).include({ status: 403, code: "forbidden" });
      }
    }
    expect((await act(channel.owner, "banUser", channel, channel.owner)).code).equal("self_target");
    expect((await act(staff, "banUser", channel, colleague)).status).equal(200);
  });

  it("answers acts on staff like acts on other users, and leaves staff their own acts", async () => {
    const channel = await given.channel();
    const [moderator, staff, user, target] = [
      await given.moderatorOf(channel),
      await given.user(),
      await given.user(),
      await given.user(),
    ];
    await givenStaffMember(world.core, staff);
    const acts = [
      ["addVip", undefined],
      ["removeVip", undefined],
      ["addModerator", undefined],
      ["removeModerator", undefined],
      ["timeoutUser", { duration_seconds: 5 }],
      ["untimeoutUser", undefined],
      ["unbanUser", undefined],
      ["banUser", undefined],
      ["addVip", undefined],
      ["timeoutUser", { duration_seconds: 5 }],
    ] as const;

    for (const by of [channel.owner, moderator]) {
      for (const [operation, body] of acts) {
        const [onStaff, onUser] = [
          await act(by, operation, channel, staff, body),
          await act(by, operation, channel, user, body),
        ];
        expect([onStaff.status, onStaff.code, onStaff.body], operation).deep.equal([
          onUser.status,
          onUser.code,
          onUser.body,
        ]);
      }
      const send = { params: channel.at, body: { content: "Hello" } };
      expect((await staff.api.call("sendChatMessage", send)).code).equal("banned");
      expect((await act(staff, "timeoutUser", channel, target, { duration_seconds: 5 })).status).equal(200);
      await act(channel.owner, "unbanUser", channel, staff);
      await act(channel.owner, "unbanUser", channel, user);
    }
  });

  it("is refused to strangers and to other channels' moderators, and finds no unknown users", async () => {
    const [channel, elsewhere] = [await given.channel(), await given.channel()];
    const foreign = await given.moderatorOf(elsewhere);
    const viewer = await given.user();
    const unknown = { ...viewer, id: crypto.randomUUID() };

    for (const by of [foreign, elsewhere.owner, viewer]) {
      for (const operation of ["banUser", "unbanUser", "untimeoutUser"] as const) {
        expect((await act(by, operation, channel, viewer)).code).equal("forbidden");
      }
    }
    expect((await viewer.api.call("listBans", { params: channel.at })).code).equal("forbidden");
    expect((await act(channel.owner, "banUser", channel, unknown)).code).equal("not_found");
    const tooLong = { duration_seconds: 1_209_601 };
    expect((await act(channel.owner, "timeoutUser", channel, viewer, tooLong)).code).equal(
      "validation_failed",
    );
  });
});
