import { expect } from "chai";
import { createRoomChanges } from "../../../actors/channels/room-changes.ts";
import { createModeration } from "../../../actors/chat/moderation/moderation.ts";
import { newId } from "../../../base/ids.ts";
import { codeOf } from "../../support/code-of.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { type LogLine, recordingLog } from "../../support/recording-log.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { givenStaffMember } from "../../support/two-factor.ts";

const REFUSED_BY_ROLES = "an act isn't allowed";

describe("An act of moderation that comes to be written after another one was answered", () => {
  const { world, given } = setUpWorld();

  /**
   * Moderation of a worker that is held up before it writes: by then `meanwhile` was answered, once. `audited` is what it
   * reports to the audit log.
   */
  function heldUp(meanwhile: () => Promise<unknown>) {
    const changes = createRoomChanges(world.core);
    const audited: unknown[] = [];
    const lines: LogLine[] = [];
    let isHeldUp = true;
    const moderation = createModeration({
      ...world.core,
      changes: {
        commit: async (...change) => {
          if (isHeldUp) await meanwhile();
          isHeldUp = false;
          return changes.commit(...change);
        },
      },
      audit: (event, _actor, fields) => void audited.push({ event, ...fields }),
      log: recordingLog(lines),
    });
    return { moderation, audited, lines };
  }

  const origin = { ip: "192.0.2.1", userAgent: null, requestId: "spec" };
  const by = ({ id }: Person, { at }: Channel) => ({ streamId: at.stream_id, by: id, origin });
  const on = (channel: Channel, person: Person) => ({ params: { ...channel.at, user_id: person.id } });

  async function room() {
    const channel = await given.channel();
    const [moderator, target] = [await given.moderatorOf(channel), await given.user()];
    const demote = () => channel.owner.api.ok("removeModerator", on(channel, moderator));
    return { channel, moderator, target, demote };
  }
  /** The log line of an act on a moderator by another one. */
  const refusalOf = (channel: Channel, moderator: Person, target: Person) => ({
    streamId: channel.at.stream_id,
    by: moderator.id,
    targetId: target.id,
    actorRole: "moderator",
    targetRole: "moderator",
    requestId: origin.requestId,
  });
  type Moderating = ReturnType<typeof heldUp>["moderation"];

  const acts: Record<
    string,
    (moderation: Moderating, act: ReturnType<typeof by>, target: Person) => unknown
  > = {
    "a ban": (moderation, act, { id }) => moderation.ban({ ...act, targetId: id }, null),
    "a timeout": (moderation, act, { id }) => moderation.timeout({ ...act, targetId: id }, 60, null),
    "a lifted ban": (moderation, act, { id }) => moderation.unban({ ...act, targetId: id }),
    "a clear": (moderation, act) => moderation.clear(act),
    "a change of modes": (moderation, act) => moderation.updateSettings(act, { emote_only: true }),
  };
  for (const [what, doing] of Object.entries(acts)) {
    it(`is refused to one who isn't a moderator any more: ${what}`, async () => {
      const { channel, moderator, target, demote } = await room();
      const { moderation, audited, lines } = heldUp(demote);

      const code = await codeOf(Promise.resolve(doing(moderation, by(moderator, channel), target)));

      expect([code, audited]).deep.equal(["forbidden", []]);
      const line = lines.find(({ message }) => message === REFUSED_BY_ROLES);
      expect(line?.fields).include({ by: moderator.id, actorRole: null });
      expect((await channel.owner.api.ok("listBans", { params: channel.at })).total).equal(0);
    });
  }

  it("is refused to one who isn't a moderator any more: a deletion, but of one's own message", async () => {
    const { channel, moderator, target, demote } = await room();
    const messageOf = (person: Person) =>
      person.api.ok("sendChatMessage", { params: channel.at, body: { content: `by ${newId()}` } });
    const [other, own] = [await messageOf(target), await messageOf(moderator)];
    const { moderation } = heldUp(demote);
    const deleted = ({ uuid }: { uuid: string }) =>
      codeOf(moderation.deleteMessage({ ...by(moderator, channel), uuid }));

    expect([await deleted(other), await deleted(own)]).deep.equal(["forbidden", "ok"]);

    const { items } = await world.api.ok("listChatMessages", { params: channel.at });
    expect(items.map(({ is_deleted }) => is_deleted)).deep.equal([false, true]);
  });

  it("is refused to one who isn't a moderator any more: a decision about an unban request", async () => {
    const { channel, moderator, target, demote } = await room();
    await channel.owner.api.ok("banUser", { ...on(channel, target), body: {} });
    const { id } = await target.api.ok("createUnbanRequest", {
      params: channel.at,
      body: { message: "Sorry." },
    });
    // The route has let it pass by now.
    await demote();
    const { unbanRequests } = world.core;
    const decided = (decide: typeof unbanRequests.approve) =>
      codeOf(decide(id, { by: moderator.id, note: null }));

    expect([await decided(unbanRequests.approve), await decided(unbanRequests.deny)]).deep.equal([
      "forbidden",
      "forbidden",
    ]);

    const { items } = await channel.owner.api.ok("listUnbanRequests", { params: channel.at });
    expect(items.map(({ status }) => status)).deep.equal(["pending"]);
  });

  it("doesn't hit somebody who was made a moderator, and takes no role of theirs", async () => {
    const { channel, moderator, target } = await room();
    const { moderation, lines } = heldUp(() => channel.owner.api.ok("addModerator", on(channel, target)));

    const ban = moderation.ban({ ...by(moderator, channel), targetId: target.id }, null);

    expect(await codeOf(ban)).equal("forbidden");
    expect(
      lines.filter(({ message }) => message === REFUSED_BY_ROLES).map(({ fields }) => fields),
    ).deep.equal([refusalOf(channel, moderator, target)]);
    const { items } = await world.api.ok("listModerators", { params: channel.at });
    expect(items.map(({ id }) => id)).have.members([moderator.id, target.id]);
  });

  it("isn't a deletion of another moderator's message, which the log says too", async () => {
    const { channel, moderator } = await room();
    const other = await given.moderatorOf(channel);
    const sent = { params: channel.at, body: { content: "mine" } };
    const { uuid } = await other.api.ok("sendChatMessage", sent);
    const { moderation, lines } = heldUp(async () => undefined);

    const deleted = moderation.deleteMessage({ ...by(moderator, channel), uuid });

    expect(await codeOf(deleted)).equal("forbidden");
    expect(lines.map(({ message, fields }) => [message, fields])).deep.equal([
      [REFUSED_BY_ROLES, refusalOf(channel, moderator, other)],
    ]);
  });

  it("passes for owner and staff all the same, and the audit log says by what right", async () => {
    const { channel, moderator, demote } = await room();
    const staff = await given.user();
    await givenStaffMember(world.core, staff);

    for (const [person, standing] of [
      [staff, "staff"],
      [channel.owner, "owner"],
    ] as const) {
      const { moderation, audited } = heldUp(demote);
      const act = { ...by(person, channel), targetId: moderator.id };
      expect(await codeOf(moderation.timeout(act, 60, null))).equal("ok");
      expect(audited).deep.equal([
        {
          event: "moderation.acted",
          action: "timeout",
          standing,
          streamId: channel.at.stream_id,
          accountId: moderator.id,
        },
      ]);
    }
  });
});
