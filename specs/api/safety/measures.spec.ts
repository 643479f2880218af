import { expect } from "chai";
import sharp from "sharp";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("What staff do about a report", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let staffed: GivenStaff;
  let staff: Person;
  let channel: Channel;
  const sockets: Socket[] = [];

  before(async () => {
    staffed = givenStaff(world, given);
    [staff, channel] = [await staffed.staff(), await given.channel()];
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  async function socketOf({ api }: Person, path: string): Promise<Socket> {
    const { ticket } = await api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}${path}?ticket=${ticket}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  /** A message of somebody, reported by somebody else and claimed. */
  async function reported(content = "You are all fools") {
    const [author, reporter] = [await given.user(), await given.user()];
    clock.move(2_000);
    const uuid = await staffed.message(channel, author, content);
    const report = await reporter.api.ok("createReport", {
      body: { target_type: "chat_message", target_id: uuid, reason_code: "harassment" },
    });
    const report_id = await staffed.caseOf(uuid);
    await staff.api.ok("handleReport", { params: { report_id }, body: { action: "claim" } });
    const act = (...measures: object[]) =>
      staff.api.ok("handleReport", { params: { report_id }, body: { action: "act", measures } });
    return { author, reporter, uuid, report, report_id, act };
  }

  it("notifies the room's moderators of what was reported, and never by whom", async () => {
    const room = await socketOf(channel.owner, `/v1/ws/chat/${channel.stream.id}`);

    const { uuid, reporter, report } = await reported();

    const { data } = await room.next("mod.report");
    expect(data).deep.include({ target_type: "chat_message", target_id: uuid, reason_code: "harassment" });
    expect(JSON.stringify(data)).not.contain(reporter.id);
    expect(Object(data).id).equal(report.id);
  });

  it("warns, hides the message and silences its author for a while, all at once and in the room", async () => {
    const { author, reporter, uuid, report_id, act } = await reported("Fools, all of you");
    const room = await socketOf(channel.owner, `/v1/ws/chat/${channel.stream.id}`);
    const own = await socketOf(author, "/v1/ws/user");
    const reporters = await socketOf(reporter, "/v1/ws/user");

    const entry = await act(
      { type: "warning", reason: "Be kind" },
      { type: "remove_content", reason: "Insults" },
      { type: "chat_ban", reason: "Insults", duration_seconds: 600 },
    );

    expect(entry).deep.include({ status: "actioned", content: "Fools, all of you" });
    expect(entry.measures.map(({ type }) => type)).deep.equal(["warning", "remove_content", "chat_ban"]);
    expect((await room.next("chat.message_deleted")).data).deep.equal({ uuid });
    expect((await room.next("chat.user_timed_out")).data).deep.include({
      user_id: author.id,
      duration_seconds: 600,
    });
    await eventually(() => room.ofType("mod.action").length === 2);
    const acts = room.ofType("mod.action").map(({ data }) => Object(data));
    expect(acts.map(({ action, actor }) => [action, actor.username])).deep.equal([
      ["delete_message", "staff"],
      ["timeout", "staff"],
    ]);
    await eventually(() => own.ofType("moderation.warning").length === 3);
    const refused = await author.api.call("sendChatMessage", {
      params: channel.at,
      body: { content: "But" },
    });
    expect(refused.code).equal("timed_out");
    const { items } = await author.api.ok("listChatMessages", { params: channel.at });
    expect(items.find((one) => one.uuid === uuid)).deep.include({ is_deleted: true, content: "" });

    const { data } = await reporters.next("report.updated");
    expect(data).deep.include({ target_id: uuid, status: "actioned" });
    const shown = JSON.stringify([
      ...reporters.messages,
      ...room.messages,
      ...own.messages,
      await reporter.api.ok("listMyReports"),
    ]);
    expect(shown).not.contain(staff.id);
    expect(shown).not.contain(staff.username);
    expect(reporters.ofType("report.updated")).length(1);
    expect(report_id).equal(entry.id);
  });

  it("empties a profile and what a stream shows", async () => {
    const [{ owner, stream, at }, reporter] = [await given.channel(), await given.user()];
    await owner.api.ok("updateMe", { body: { bio: "Fools" } });
    await owner.api.ok("updateMyStream", { body: { name: "Fools, all of you", tags: ["fools"] } });
    const starts_at = new Date(clock.now() + 3_600_000).toISOString();
    await owner.api.ok("createScheduleEntry", { body: { title: "Fools again", starts_at } });
    const older = new Date(clock.now() - 1_000);
    await world.core.streams.setLiveThumbnail(
      stream.id,
      "https://media.example/2.jpg",
      new Date(clock.now()),
    );
    for (const [target_type, target_id] of [
      ["user", owner.id],
      ["stream", stream.id],
    ] as const) {
      const about = { target_type, target_id, reason_code: "hate" };
      await reporter.api.ok("createReport", { body: about });
      const params = { report_id: await staffed.caseOf(target_id) };
      await staff.api.ok("handleReport", { params, body: { action: "claim" } });
      const measures = [{ type: "remove_content", reason: "Hate" }];
      await staff.api.ok("handleReport", { params, body: { action: "act", measures } });
    }

    expect((await owner.api.ok("getMe")).bio).equal(null);
    // A report that was late.
    await world.core.streams.setLiveThumbnail(stream.id, "https://media.example/1.jpg", older);
    const emptied = { name: owner.username, tags: [], thumbnail_url: null };
    expect(await owner.api.ok("getStream", { params: at })).deep.include(emptied);
    const schedule = await owner.api.ok("listSchedule", { params: { username: owner.username } });
    expect(schedule.items).deep.equal([]);
  });

  it("removes the pictures of a profile, not only their addresses", async () => {
    const [owner, reporter] = [await given.user(), await given.user()];
    const body = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#ff0000" } })
      .png()
      .toBuffer();
    const sent = { body, headers: { "content-type": "image/png" } };
    const urls = [
      (await owner.api.ok("setBanner", sent)).banner_url,
      (await owner.api.ok("setAvatar", sent)).image_url,
    ].map((url) => `${world.baseUrl}${new URL(String(url)).pathname}`);
    const statuses = async () => Promise.all(urls.map(async (url) => (await fetch(url)).status));
    expect(await statuses()).deep.equal([200, 200]);
    const about = { target_type: "user" as const, target_id: owner.id, reason_code: "hate" as const };
    await reporter.api.ok("createReport", { body: about });
    const params = { report_id: await staffed.caseOf(owner.id) };
    await staff.api.ok("handleReport", { params, body: { action: "claim" } });
    const measures = [{ type: "remove_content" as const, reason: "Hate" }];
    await staff.api.ok("handleReport", { params, body: { action: "act", measures } });

    await world.core.pictures.sweep();

    await eventually(async () => (await statuses()).every((status) => status === 404));
    const rows = world.core.mongo.db.collection("files");
    await eventually(async () => (await rows.countDocuments({ userId: owner.id })) === 0);
    for (const url of urls) expect(await world.core.files.read(url.split("/").at(-1) ?? "")).equal(null);
  });

  it("bans an account: sessions, sockets and the broadcast end within two seconds", async () => {
    const target = await given.liveChannel();
    const { owner } = target;
    const [own, room] = [
      await socketOf(owner, "/v1/ws/user"),
      await socketOf(owner, `/v1/ws/chat/${target.stream.id}`),
    ];
    const reporter = await given.user();
    const about = { target_type: "user", target_id: owner.id, reason_code: "illegal" };
    await reporter.api.ok("createReport", { body: about });
    const params = { report_id: await staffed.caseOf(owner.id) };
    await staff.api.ok("handleReport", { params, body: { action: "claim" } });

    const before = performance.now();
    const measures = [{ type: "account_ban", reason: "Sells what isn't theirs" }];
    await staff.api.ok("handleReport", { params, body: { action: "act", measures } });

    await eventually(() => own.closed !== null && room.closed !== null);
    expect((await owner.api.call("getMe")).code).equal("account_banned");
    await eventually(async () => !(await staff.api.ok("getStream", { params: target.at })).is_live);
    expect(performance.now() - before).below(2_000);
    expect(own.closed?.code).equal(4009);
    expect((await given.hook("publish", { key: target.stream.stream_key })).code).equal("stream_key_refused");

    const refused = await staffed.refusedLogin(owner);
    expect([refused.status, refused.code]).deep.equal([403, "account_banned"]);
    expect(refused.details).deep.include({ subject_type: "ban" });
    expect(refused.details).have.keys("appeal_token", "subject_type", "subject_id", "reason");
    const { ban, status } = await staff.api.ok("getUser", { params: { account_id: owner.id } });
    expect([status, ban?.report_id, ban?.id]).deep.equal([
      "banned",
      params.report_id,
      refused.details.subject_id,
    ]);
  });

  it("bans with the third strike in force", async () => {
    const { author, act } = await reported("Fools again");
    const params = { account_id: author.id };
    await staff.api.ok("giveStrike", { params, body: { reason: "One" } });
    await staff.api.ok("giveStrike", { params, body: { reason: "Two" } });
    expect((await author.api.call("getMe")).status).equal(200);

    await act({ type: "strike", reason: "Three" });

    expect((await author.api.call("getMe")).code).equal("account_banned");
    const { live_strikes, ban } = await staff.api.ok("getUser", { params });
    expect([live_strikes, ban?.reason]).deep.equal([3, "Three"]);
  });
});
