import { expect } from "chai";
import { staffLogCollection } from "../../../store/mongo/safety/staff-log.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("the staff log", () => {
  const { world, given } = setUpWorld();
  let staffed: GivenStaff;
  let staff: Person;
  before(async () => {
    staffed = givenStaff(world, given);
    staff = await staffed.staff();
  });

  const logOf = async (about: string) =>
    (await staff.api.ok("listStaffLog", { query: { about, per_page: 100 } })).items;

  it("lists acts about an account with who did them, newest first, and what was opened", async () => {
    const user = await given.user();
    const params = { account_id: user.id };
    await staff.api.ok("getUser", { params });
    await staff.api.ok("giveStrike", { params, body: { reason: "Insults" } });
    await staff.api.ok("banAccount", { params, body: { reason: "Insults" } });
    await staff.api.ok("unbanAccount", { params });

    const rows = await logOf(user.id);

    expect(rows.map(({ event, operation }) => operation ?? event)).deep.equal([
      "account.unbanned",
      "account.banned",
      "strike.given",
      "getUser",
    ]);
    for (const row of rows) expect([row.staff?.id, row.account?.id]).deep.equal([staff.id, user.id]);
  });

  it("lists a decision about a case with its measures, once", async () => {
    const [target, reporter] = [await given.user(), await given.user()];
    await reporter.api.ok("createReport", {
      body: { target_type: "user", target_id: target.id, reason_code: "hate" },
    });
    const report_id = await staffed.caseOf(target.id);
    const handle = (body: object) => staff.api.ok("handleReport", { params: { report_id }, body });
    await handle({ action: "claim" });
    await handle({ action: "act", measures: [{ type: "warning", reason: "Be kind" }] });
    const handled = async () => (await logOf(report_id)).filter(({ event }) => event === "report.handled");
    await eventually(async () => (await handled()).length === 2, { what: "both rows are there" });
    await world.core.auditTrail.sweep();

    expect((await handled()).map(({ action, measures }) => [action, measures])).deep.equal([
      ["act", ["warning"]],
      ["claim", []],
    ]);
  });

  it("lists what staff moderate in a room, whether they type it or press it, by REST or a socket", async () => {
    const [channel, viewer, other] = [await given.channel(), await given.user(), await given.user()];
    const { at } = channel;
    const said = async (by: Person) =>
      (await by.api.ok("sendChatMessage", { params: at, body: { content: "hello" } })).uuid;
    const [first, second] = [await said(viewer), await said(other)];
    const { ticket } = await staff.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    const room = `chat:${at.stream_id}`;

    await staff.api.ok("deleteChatMessage", { params: { ...at, uuid: first } });
    await socket.command("chat.delete", { channel: room, uuid: second });
    await staff.api.call("sendChatMessage", {
      params: at,
      body: { content: `/timeout ${viewer.username} 1m` },
    });
    await socket.command("chat.command", { channel: room, command: `/ban ${viewer.username}` });
    await socket.command("chat.send", { channel: room, content: `/unban ${viewer.username}` });
    socket.terminate();
    // By the channel's own people it isn't listed.
    await channel.owner.api.ok("runChatCommand", {
      params: at,
      body: { command: `/ban ${viewer.username}` },
    });

    expect(
      (await logOf(viewer.id)).map(({ event, action, staff: by }) => [event, action, by?.id]),
    ).deep.equal(
      ["unban", "ban", "timeout", "delete_message"].map((action) => ["moderation.acted", action, staff.id]),
    );
    expect(await logOf(at.stream_id)).length(5);
  });

  it("lists what staff decide about unban requests", async () => {
    const viewer = await given.user();
    const requested = async () => {
      const { at, owner } = await given.channel();
      await owner.api.ok("banUser", { params: { ...at, user_id: viewer.id } });
      const { id } = await viewer.api.ok("createUnbanRequest", { params: at, body: { message: "Sorry" } });
      return { params: { ...at, unban_request_id: id } };
    };
    await staff.api.ok("denyUnbanRequest", await requested());
    await staff.api.ok("approveUnbanRequest", await requested());

    const rows = (await logOf(viewer.id)).filter(({ event }) => event === "moderation.acted");

    expect(rows.map(({ action, staff: by }) => [action, by?.id])).deep.equal([
      ["unban", staff.id],
      ["unban_request_denied", staff.id],
    ]);
  });

  it("has the row of a read by the time it is answered", async () => {
    const user = await given.user();
    const rows = staffLogCollection.in(world.core.mongo.db);
    const params = { account_id: user.id };
    const { status } = await staff.api.call("getUser", { params });
    expect(status).equal(200);
    expect(await rows.countDocuments({ ids: user.id, operation: "getUser" })).equal(1);
  });

  it("filters by staff member and by event, and doesn't list its own reads", async () => {
    const other = await staffed.staff();
    const user = await given.user();
    const params = { account_id: user.id };
    await other.api.ok("getUser", { params });
    await staff.api.ok("giveStrike", { params, body: { reason: "Insults" } });

    const list = async (query: Record<string, string>) =>
      (await other.api.ok("listStaffLog", { query })).items.map(({ event }) => event);

    expect(await list({ staff_id: other.id })).deep.equal(["staff.read"]);
    expect(await list({ about: user.id, event: "strike.given" })).deep.equal(["strike.given"]);
    expect((await list({ staff_id: other.id })).length).equal(1);
  });

  it("isn't shown to others", async () => {
    expect((await (await given.user()).api.call("listStaffLog")).code).equal("forbidden");
  });
});
