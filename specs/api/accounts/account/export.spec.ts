import { expect } from "chai";
import { exportParts } from "../../../../actors/accounts/erasure/export.ts";
import { COLLECTIONS } from "../../../../store/mongo/generated/collections.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { givenChannels } from "../../../support/given-channels.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("GET /v1/users/me/export", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world } = setUpWorld({ clock, stores: openOwnStores });
  let given: ReturnType<typeof givenChannels>;
  before(async () => {
    given = givenChannels(world);
  });

  it("is one JSON object with a list for every collection that declares one", async () => {
    const user = await given.user();

    const answer = await user.api.call("exportMe");

    expect(answer.status).equal(200);
    expect(answer.headers.get("content-disposition")).match(/^attachment; filename="livecore-[\d-]+\.json"$/);
    const kinds = exportParts().map(({ name, part }) => part.as ?? name);
    expect(Object.keys(Object(answer.body))).deep.equal(["exported_at", ...kinds]);
    expect(new Set(kinds).size).equal(kinds.length);
    expect(Object(answer.body).account).length(1);
    expect(Object(answer.body).account[0]).include({ username: user.username });
  });

  it("holds what is one's own, and nothing of others, no secret and no hash", async () => {
    const channel = await given.channel();
    const [user, other] = [channel.owner, await given.user()];
    await other.api.ok("sendChatMessage", { params: channel.at, body: { content: "of another one" } });
    await user.api.ok("sendChatMessage", { params: channel.at, body: { content: "of my own" } });
    const { db } = world.core.mongo;
    const isArchived = async () => (await db.collection("chat_messages").countDocuments()) === 2;
    await eventually(isArchived, { what: "both messages are archived" });
    await world.core.mongo.db
      .collection("sessions")
      .updateOne({ userId: other.id }, { $set: { ip: "192.0.2.77" } });

    const text = JSON.stringify((await user.api.call("exportMe")).body);

    expect(text).not.include("of another one").and.not.include("192.0.2.77");
    expect(text).not.include(other.username).and.not.include(`${other.username}@example.com`);
    expect(text).not.match(/argon2|sealed|hash"|stream_key|lc_(rt|pat)_/i);
    for (const session of await db.collection("sessions").find().toArray())
      expect(text).not.include(String(session.tokenHash));
  });

  it("has the ids of the account, its channel, and what its user sent", async () => {
    const [{ owner, stream, at }, target] = [await given.channel(), await given.user()];
    const { uuid } = await owner.api.ok("sendChatMessage", { params: at, body: { content: "mine" } });
    const about = { target_type: "user", target_id: target.id, reason_code: "spam" };
    const report = await owner.api.ok("createReport", { body: about });
    const request = { kind: "support", email: "a@example.com", subject: "Help", message: "How?" };
    const support = await owner.api.ok("createSupportRequest", { body: request });
    const messages = world.core.mongo.db.collection<{ _id: string }>("chat_messages");
    await eventually(async () => (await messages.countDocuments({ _id: uuid })) === 1);

    const { body } = await owner.api.call("exportMe");

    const idsOf = (kind: string) => Object(body)[kind].map(({ id }: { id: string }) => id);
    expect([idsOf("account"), idsOf("streams")]).deep.equal([[owner.id], [stream.id]]);
    expect(idsOf("chat_messages")).deep.equal([uuid]);
    expect([idsOf("reports"), idsOf("support_requests")]).deep.equal([[report.id], [support.id]]);
  });

  it("isn't used up by another site, by HEAD, or without a step-up", async () => {
    const user = await given.user();
    const body = { login: user.username, password: "a long phrase for specs" };
    const { headers } = await world.api.call("login", { body });
    const cookie = headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const ask = (method: string, more: Record<string, string> = {}) =>
      fetch(`${world.baseUrl}/v1/users/me/export`, { method, headers: { cookie, ...more } });

    for (const method of ["GET", "HEAD"]) expect((await ask(method)).status).equal(403);
    const own = { "x-service-client": "spec" };
    for (let i = 0; i < 4; i++) {
      const head = await ask("HEAD", own);
      expect([head.status, await head.text()]).deep.equal([200, ""]);
      expect(head.headers.get("content-disposition")).match(/^attachment/);
    }
    const exported = world.audited.filter((line) => line.event === "account.exported");
    expect(exported.filter(({ userId }) => userId === user.id)).deep.equal([]);
    clock.move(5 * 60_000);
    expect(Object(await (await ask("GET", own)).json()).code).equal("step_up_required");
    await user.api.ok("stepUp", { body: { password: body.password } });
    expect((await user.api.call("exportMe")).status).equal(200);
  });

  it("comes three times a day, since one may be cut", async () => {
    const user = await given.user();

    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await user.api.call("exportMe")).status);

    expect(statuses).deep.equal([200, 200, 200, 429]);
  });
});

describe("What collections declare of people", () => {
  it("names fields to export that are erased too, or kept for a reason", () => {
    for (const { name, personal } of COLLECTIONS) {
      if (personal === "none" || "nothing" in personal.exports) continue;
      for (const { by } of personal.exports) expect(Object.keys(personal.erase), name).include(by);
    }
  });
});
