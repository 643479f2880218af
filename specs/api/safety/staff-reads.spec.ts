import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { operationsOf, parametersOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { clipsCollection } from "../../../store/mongo/live/clips.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { clipDoc } from "../../support/clip-doc.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const document = readOpenApi();
/** Everything that only staff may read. */
const READS = operationsOf(document).filter(
  ({ method, operation }) => method === "get" && operation["x-access"].who === "staff",
);

describe("audit log: what staff read", () => {
  const { world, given } = setUpWorld();
  let staffed: GivenStaff;
  let staff: Person;
  /** An id for each parameter of these operations' paths. */
  let ids: Record<string, string>;
  before(async () => {
    staffed = givenStaff(world, given);
    staff = await staffed.staff();
    const [channel, struck] = [await given.channel(), await given.user()];
    const account_id = struck.id;
    const about = { target_type: "user", target_id: account_id, reason_code: "spam" };
    await channel.owner.api.ok("createReport", { body: about });
    const params = { account_id };
    const strike = await staff.api.ok("giveStrike", { params, body: { reason: "Insults" } });
    const appeal = { subject_type: "strike", subject_id: strike.id, message: "I was quoting somebody else." };
    await struck.api.ok("createAppeal", { body: appeal });
    const request = { kind: "support", email: "a@example.com", subject: "Help", message: "How?" };
    const support = await struck.api.ok("createSupportRequest", { body: request });
    ids = {
      account_id,
      ...channel.at,
      report_id: await staffed.caseOf(account_id),
      support_id: support.id,
    };
  });

  const lines = (by: Person = staff) => world.auditedOf("staff.read", by.id);

  for (const { method, path, operation } of READS) {
    it(`has a line with the ids in the path for ${operation.operationId}`, async () => {
      const named = parametersOf(document, operation)
        .filter((parameter) => parameter.in === "path")
        .map(({ name }) => `${name}=${ids[name]}`);
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `no example of ${name}`);

      const response = await fetch(`${world.baseUrl}${url}`, {
        method,
        headers: { authorization: `Bearer ${staff.token}` },
      });

      expect(response.status).equal(200);
      const line = lines().at(-1);
      expect(line?.operation).equal(operation.operationId);
      expect(String(line?.ids).split(" ")).include.members(named);
    });
  }

  it("has the id of each shown account for a search, and nothing of what was searched for", async () => {
    const { id, username } = await given.user();

    await staff.api.ok("listUsers", { query: { q: `${username}@example.com` } });

    expect(lines().at(-1)).include({ operation: "listUsers", ids: `id=${id}` });
    expect(JSON.stringify(world.audited)).not.include(`${username}@`);
  });

  it("has the ids of what staff see as staff alone by an operation for everybody", async () => {
    const banned = await given.channel();
    const ban = { params: { account_id: banned.owner.id }, body: { reason: "Insults" } };
    const shown = { params: { username: banned.owner.username } };
    await staff.api.ok("getPublicProfile", shown);
    expect(lines().at(-1)?.operation).not.equal("getPublicProfile");
    await staff.api.ok("banAccount", ban);

    const source_user_id = banned.owner.id;
    const raid = await given.channel();
    const before = lines().length;
    const seen = [];
    await staff.api.ok("getPublicProfile", shown);
    const whose = `account_id=${banned.owner.id}`;
    for (const operation of ["getPublicProfile", "getChannel", "getMyStanding", "listVideos"] as const) {
      if (operation !== "getPublicProfile") await staff.api.ok(operation, shown);
      seen.push([operation, `username=${banned.owner.username} ${whose}`]);
    }
    await staff.api.ok("listChatMessages", { params: banned.at });
    seen.push(["listChatMessages", `stream_id=${banned.at.stream_id} ${whose}`]);
    await staff.api.ok("listRedemptions", { query: { channel_user_id: banned.owner.id } });
    seen.push(["listRedemptions", whose]);
    for (const operation of ["listBans", "listHeldMessages", "listBlockedTerms"] as const) {
      await staff.api.ok(operation, { params: raid.at });
      seen.push([operation, `stream_id=${raid.at.stream_id} account_id=${raid.owner.id}`]);
    }

    expect(
      lines()
        .slice(before)
        .map(({ operation, ids }) => [operation, ids]),
    ).deep.equal(seen);
    expect((await staff.api.call("getCurrentRaid", { query: { source_user_id } })).code).equal("not_found");
    await staff.api.ok("listChatMessages", { params: raid.at });
    expect(lines()).length(before + seen.length);
    const { items } = await staff.api.ok("listStaffLog", {
      query: { about: banned.owner.id, event: "staff.read" },
    });
    expect(items.map(({ operation, account }) => [operation, account?.id])).deep.equal(
      seen
        .filter(([, ids]) => ids?.endsWith(whose))
        .map(([operation]) => [operation, banned.owner.id])
        .reverse(),
    );
  });

  it("has the id of another's private clip", async () => {
    const [channel, viewer] = [await given.channel(), await given.user()];
    const clips = clipsCollection.in(world.core.mongo.db);
    const clip = clipDoc({
      channelUserId: channel.owner.id,
      streamId: channel.at.stream_id,
      userId: viewer.id,
      visibility: "private",
    });
    await clips.insertOne(clip);

    await staff.api.ok("getClip", { params: { clip_id: clip._id } });

    expect(lines().at(-1)).include({
      operation: "getClip",
      ids: `clip_id=${clip._id} account_id=${channel.owner.id}`,
    });
  });

  it("has whose room it is for staff who follow a banned account's room by a socket, and no other room", async () => {
    const [banned, open] = [await given.channel(), await given.channel()];
    const ban = { params: { account_id: banned.owner.id }, body: { reason: "Insults" } };
    await staff.api.ok("banAccount", ban);
    await eventually(() => world.core.staff.isKnownStaff(staff.id), { what: "rooms know the staff member" });
    const before = lines().length;
    const ticket = async () => (await staff.api.ok("createWsTicket")).ticket;
    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${await ticket()}`);
    const follow = ({ at }: typeof banned) =>
      socket.command("subscribe", { channel: `chat:${at.stream_id}` });

    const answers = [await follow(open), await follow(banned)];
    socket.terminate();
    for (const { at } of [open, banned]) {
      const own = new Socket(`${world.socketUrl}/v1/ws/chat/${at.stream_id}?ticket=${await ticket()}`);
      await own.next("subscribed");
      own.terminate();
    }

    expect(answers.map((answer) => Object(answer).error ?? null)).deep.equal([null, null]);
    const ids = `stream_id=${banned.at.stream_id} account_id=${banned.owner.id}`;
    expect(
      lines()
        .slice(before)
        .map(({ operation, ids }) => [operation, ids]),
    ).deep.equal([
      ["subscribe", ids],
      ["subscribe", ids],
    ]);
    const { items } = await staff.api.ok("listStaffLog", { query: { about: banned.at.stream_id } });
    expect(items.map(({ operation, account }) => [operation, account?.id])).deep.equal([
      ["subscribe", banned.owner.id],
      ["subscribe", banned.owner.id],
    ]);
  });

  it("has no line for a read that is refused", async () => {
    const [before, person] = [lines().length, await given.user()];

    const none = await staff.api.call("getUser", { params: { account_id: newId() } });
    const refused = await person.api.call("getUser", { params: { account_id: person.id } });

    expect([none.code, refused.code]).deep.equal(["not_found", "forbidden"]);
    expect([lines().length, lines(person).length]).deep.equal([before, 0]);
  });
});
