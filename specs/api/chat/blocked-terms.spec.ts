import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { blockedTermsCollection } from "../../../store/mongo/chat/blocked-terms.ts";
import { moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("blocked terms", () => {
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  const add = ({ owner, at }: Channel, body: object) => owner.api.ok("addBlockedTerm", { params: at, body });
  const refusedAdd = ({ owner, at }: Channel, body: object) =>
    owner.api.call("addBlockedTerm", { params: at, body });

  async function say({ at }: Channel, who: Person, content: string): Promise<string> {
    clock.move(2_000);
    const { status, code } = await who.api.call("sendChatMessage", { params: at, body: { content } });
    return code ?? { 201: "sent", 202: "held" }[status] ?? String(status);
  }

  async function socketOf(who: Person, { at }: Channel): Promise<Socket> {
    const { ticket } = await who.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${at.stream_id}?ticket=${ticket}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  /** As many as that, written past the service. */
  async function fill({ owner, at }: Channel, count: number, isRegex = false): Promise<void> {
    const first = 1_000_000_000 + Math.floor(Math.random() * 1e9) * 1_000;
    await blockedTermsCollection.in(world.core.mongo.db).insertMany(
      Array.from({ length: count }, (_, i) => ({
        _id: first + i,
        streamId: at.stream_id,
        channelId: owner.id,
        term: `term ${i}`,
        isRegex,
        size: 1,
        action: "block" as const,
        createdBy: owner.id,
        createdAt: new Date(),
      })),
    );
  }

  it("are added, listed, changed and taken away, and each holds at once", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const viewer = await given.user();

    const term = await add(channel, { term: "Spoiler" });
    expect(term).deep.include({ channel_id: owner.id, term: "Spoiler", is_regex: false, action: "block" });
    expect(term.created_by).equal(owner.id);
    expect(await say(channel, viewer, "a SPOILER!")).equal("blocked_term");
    expect(await say(channel, viewer, "despoilers")).equal("sent");
    expect((await owner.api.ok("listBlockedTerms", { params: at })).items).deep.equal([term]);

    const params = { ...at, term_id: String(term.id) };
    const held = await owner.api.ok("updateBlockedTerm", { params, body: { action: "hold" } });
    expect(held).deep.equal({ ...term, action: "hold" });
    expect(await say(channel, viewer, "another spoiler")).equal("held");

    await owner.api.ok("deleteBlockedTerm", { params });
    expect(await say(channel, viewer, "the last spoiler")).equal("sent");
    shows("default ChatBlockedTerm.is_regex", "default ChatBlockedTerm.action");
    expect((await owner.api.ok("listBlockedTerms", { params: at })).items).deep.equal([]);
  });

  it("act as their action says, and the strongest of those that are in a message decides", async () => {
    const channel = await given.channel();
    const viewer = await given.user();
    await add(channel, { term: "never", action: "block" });
    await add(channel, { term: "perhaps", action: "hold" });
    await add(channel, { term: "watch", action: "block_links" });
    await add(channel, { term: "please", action: "allow" });
    const outcomes: Record<string, string> = {
      "never this": "blocked_term",
      "perhaps this": "held",
      "perhaps never": "blocked_term",
      "watch this": "sent",
      "see example.com": "sent",
      "watch example.com": "blocked_term",
      "please watch example.com": "sent",
      "please, never": "sent",
    };

    for (const [text, outcome] of Object.entries(outcomes))
      expect(await say(channel, viewer, text), text).equal(outcome);
    const everywhere = await given.channel();
    await add(everywhere, { term: "*", action: "block_links" });
    expect(await say(everywhere, viewer, "see example.com")).equal("blocked_term");
    expect(await say(everywhere, viewer, "see for yourself")).equal("sent");
    shows("chat.terms");
  });

  it("don't hold for those who moderate the room", async () => {
    const channel = await given.channel();
    const moderator = await given.user();
    await channel.owner.api.ok("addModerator", { params: { ...channel.at, user_id: moderator.id } });
    await add(channel, { term: "*" });

    expect(await say(channel, channel.owner, "hello")).equal("sent");
    expect(await say(channel, moderator, "hello there")).equal("sent");
    expect(await say(channel, await given.user(), "hello too")).equal("blocked_term");
  });

  it("let only authors with a verified address through where they say so", async () => {
    const channel = await given.channel();
    const [viewer, verified] = await Promise.all([given.user(), given.user()]);
    await world.core.mongo.db
      .collection<{ _id: string }>("users")
      .updateOne({ _id: verified.id }, { $set: { emailVerifiedAt: new Date() } });
    await add(channel, { term: "*", action: "verified_only" });

    expect(await say(channel, viewer, "hello")).equal("blocked_term");
    expect(await say(channel, verified, "hello you")).equal("sent");
  });

  it("that don't compile, or would never be found, are refused", async () => {
    const channel = await given.channel();
    const regexes = ["(", "a{1001}", "(?=x)", "\\1", "[a-z]{1,1000}x"].map((term) => ({
      term,
      is_regex: true,
    }));
    for (const body of [...regexes, { term: "x".repeat(261), is_regex: true }, { term: "\u0336\u0337" }]) {
      expect((await refusedAdd(channel, body)).code, body.term).equal("validation_failed");
    }
    const { id } = await add(channel, { term: "(" });
    const params = { ...channel.at, term_id: String(id) };
    const change = await channel.owner.api.call("updateBlockedTerm", { params, body: { is_regex: true } });
    expect(change.code).equal("validation_failed");
  });

  it("match nothing, and say so, where an older release took what isn't compared any more", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const viewer = await given.user();
    const stored = blockedTermsCollection.in(world.core.mongo.db);
    for (const [term, action] of [
      ["\u0640", "block"],
      ["\u2800*", "hold"],
      ["\u064b", "allow"],
    ] as const) {
      const { id } = await add(channel, { term: `older ${term}`, action });
      await stored.updateOne({ _id: id }, { $set: { term } });
    }
    await add(channel, { term: "never" });

    expect(await say(channel, viewer, "hello")).equal("sent");
    expect(await say(channel, viewer, "never again")).equal("blocked_term");
    const { items } = await owner.api.ok("listBlockedTerms", { params: at });
    expect(items.map((term) => term.is_searchable)).deep.equal([false, false, false, true]);
  });

  it("are there once, and take the action with which they are added again", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const first = await add(channel, { term: "twice" });
    expect(await add(channel, { term: "twice" })).deep.equal(first);
    expect(await add(channel, { term: "twice", action: "allow" })).deep.equal({ ...first, action: "allow" });

    const other = await add(channel, { term: "other" });
    const params = { ...at, term_id: String(other.id) };
    const answer = await owner.api.call("updateBlockedTerm", { params, body: { term: "twice" } });
    expect(answer.code).equal("term_taken");
  });

  it("of another channel aren't there", async () => {
    const [channel, stranger] = await Promise.all([given.channel(), given.channel()]);
    const { id } = await add(channel, { term: "mine" });
    const params = { ...stranger.at, term_id: String(id) };
    const change = await stranger.owner.api.call("updateBlockedTerm", { params, body: { action: "allow" } });
    expect(change.code).equal("not_found");
    expect((await stranger.owner.api.call("deleteBlockedTerm", { params })).code).equal("not_found");
  });

  it("are at most a thousand, also of moderators who add them at once", async () => {
    const channel = await given.channel();
    await fill(channel, 997);
    const bodies = Array.from({ length: 8 }, (_, i) => ({ term: `one more ${i}` }));
    const answers = await Promise.all(bodies.map((body) => refusedAdd(channel, body)));

    expect(answers.filter(({ status }) => status === 201).length).equal(3);
    const refused = answers.filter(({ code }) => code === "limit_reached");
    expect(refused.map(({ details }) => details.limit)).deep.equal(Array(5).fill(1_000));
    const { total } = await channel.owner.api.ok("listBlockedTerms", { params: channel.at });
    expect(total).equal(1_000);
  });

  it("are at most fifty expressions, of so many instructions", async () => {
    const channel = await given.channel();
    await fill(channel, 49, true);
    const answers = await Promise.all(
      ["a+", "b+"].map((term) => refusedAdd(channel, { term, is_regex: true })),
    );
    expect(answers.map(({ code }) => code).sort()).deep.equal(["limit_reached", null].sort());

    const big = await given.channel();
    await add(big, { term: "x{900}", is_regex: true });
    await add(big, { term: "y{900}", is_regex: true });
    const { code, details } = await refusedAdd(big, { term: "z{900}", is_regex: true });
    expect([code, details.limit]).deep.equal(["limit_reached", 2_000]);
  });

  it("say what would become of texts, and of nobody's", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const hold = await add(channel, { term: "buy", action: "hold" });
    const allow = await add(channel, { term: "please", action: "allow" });
    const verified = await add(channel, { term: "co[dp]e", is_regex: true, action: "verified_only" });
    const test = (body: object) => owner.api.ok("testBlockedTerms", { params: at, body });
    const texts = ["hello", "Buy!", "please buy", "my code", `a${"\u0301".repeat(400)}`, "\u202e<b>buy</b>"];

    const { items } = await test({ texts });
    expect(items.map(({ text }) => text)).deep.equal(texts);
    expect(items.map(({ verdict, term }) => [verdict, term])).deep.equal([
      ["pass", null],
      ["hold", hold],
      ["pass", allow],
      ["block", verified],
      ["pass", null],
      ["hold", hold],
    ]);
    const { items: ofVerified } = await test({ texts: ["my code"], is_verified: true });
    expect(ofVerified[0]?.verdict).equal("pass");
    const drafted = await test({ texts: ["hello", "buy hello"], draft: { term: "hel*" } });
    expect(drafted.items.map(({ verdict, term, by_draft }) => [verdict, term, by_draft])).deep.equal([
      ["block", null, true],
      ["block", null, true],
    ]);
    const changed = await test({ texts: ["buy"], draft: { term: "buy", action: "block" } });
    expect(changed.items[0]).include({ verdict: "block", term: null, by_draft: true });
    const milder = await test({
      texts: ["my code"],
      draft: { term: "co[dp]e", is_regex: true, action: "hold" },
    });
    expect(milder.items[0]).include({ verdict: "hold", term: null, by_draft: true });
    const wrong = { params: at, body: { texts: ["x"], draft: { term: "(", is_regex: true } } };
    const refusal = await owner.api.call("testBlockedTerms", wrong);
    expect(Object(refusal.details.errors)[0]).include({ path: "/body/draft/term", rule: "regex" });
    const { items: listed } = await owner.api.ok("listBlockedTerms", { params: at });
    expect(listed).deep.equal([hold, allow, verified]);
    const many = { texts: Array(21).fill("x") };
    const answer = await owner.api.call("testBlockedTerms", { params: at, body: many });
    expect(answer.code).equal("validation_failed");
  });

  it("are published to moderators alone when they change, and logged each time", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const viewer = await given.user();
    const [ours, theirs] = await Promise.all([socketOf(owner, channel), socketOf(viewer, channel)]);

    const { id } = await add(channel, { term: "logged" });
    await add(channel, { term: "logged" });
    const params = { ...at, term_id: String(id) };
    await owner.api.ok("updateBlockedTerm", { params, body: { action: "hold" } });
    await owner.api.ok("deleteBlockedTerm", { params });
    await say(channel, viewer, "the end");

    await eventually(() => [ours, theirs].every((socket) => socket.ofType("chat.message").length === 1));
    expect(ours.ofType("mod.terms").map(({ data }) => data)).deep.equal([
      { version: 1 },
      { version: 2 },
      { version: 3 },
    ]);
    expect(theirs.ofType("mod.terms")).deep.equal([]);
    expect([...ours.problems, ...theirs.problems]).deep.equal([]);
    const log = await moderationActionsIn(world.core.mongo.db).ofStream(at.stream_id, 0, 10);
    expect(log.map(({ action, reason }) => [action, reason])).deep.equal([
      ["term_removed", "hold: logged"],
      ["term_changed", "hold: logged"],
      ["term_added", "block: logged"],
    ]);
  });
});
