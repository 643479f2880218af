import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("the log of moderation as staff read it", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  let staff: Person;
  before(async () => {
    staff = await givenStaff(world, given).staff();
  });

  /** Each act that a channel's own log has no value for, and one that it has. */
  async function actIn({ owner, at }: Channel, moderator: Person, viewer: Person): Promise<void> {
    const next = () => world.clock.move(1_100);
    const set = async (body: object) => {
      next();
      await owner.api.ok("updateChatSettings", { params: at, body });
    };
    for (const body of [{ unique_chat: true }, { unique_chat: false }, { chat_enabled: false }])
      await set(body);
    await set({ chat_enabled: true });
    next();
    const { id } = await owner.api.ok("addBlockedTerm", { params: at, body: { term: "spoiler" } });
    const term = { ...at, term_id: String(id) };
    next();
    await owner.api.ok("updateBlockedTerm", { params: term, body: { action: "hold" } });
    for (const decision of ["approveHeldMessage", "denyHeldMessage"] as const) {
      next();
      const body = { content: `a spoiler to ${decision}` };
      const held = await viewer.api.call("sendChatMessage", { params: at, body });
      await moderator.api.ok(decision, { params: { ...at, held_id: String(Object(held.body).id) } });
    }
    next();
    await owner.api.ok("deleteBlockedTerm", { params: term });
    next();
    const pollBody = { question: "Which?", options: ["This", "That"], duration_sec: 60 };
    const poll = await owner.api.ok("createPoll", { params: at, body: pollBody });
    next();
    await moderator.api.ok("endPoll", { params: { poll_id: poll.id } });
    next();
    await owner.api.ok("clearChat", { params: at });
  }

  it("has every act, also those that the channel isn't shown", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const [moderator, viewer] = [await given.moderatorOf(channel), await given.user()];
    await actIn(channel, moderator, viewer);
    const list = async (query: Record<string, string | number> = {}) => {
      const page = await staff.api.ok("listAllModerationActions", { params: at, query });
      return page.items.map(({ action, reason }) => (reason === null ? action : `${action} (${reason})`));
    };

    const all = [
      ...["clear", "poll_ended", "poll_opened", "term_removed (hold: spoiler)"],
      ...["held_denied", "held_approved", "term_changed (hold: spoiler)", "term_added (block: spoiler)"],
      ...["chat_on", "chat_off", "unique_chat_off", "unique_chat_on", "mod"],
    ];
    expect(await list()).deep.equal(all);
    expect(await list({ per_page: 2, page: 2 })).deep.equal(all.slice(2, 4));
    expect(await list({ action: "term_added" })).deep.equal(["term_added (block: spoiler)"]);
    expect(await list({ actor: moderator.id })).deep.equal(["poll_ended", "held_denied", "held_approved"]);
    expect(await list({ target: viewer.id })).deep.equal(["held_denied", "held_approved"]);

    const { items, total } = await owner.api.ok("listModerationActions", { params: at });
    expect([total, ...items.map(({ action }) => action)]).deep.equal([2, "clear", "mod"]);
    const query = { action: "term_added" };
    expect((await owner.api.call("listModerationActions", { params: at, query })).code).equal(
      "validation_failed",
    );
    for (const { api } of [owner, moderator])
      expect((await api.call("listAllModerationActions", { params: at })).code).equal("forbidden");
  });
});
