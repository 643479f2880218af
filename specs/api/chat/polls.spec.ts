import { expect } from "chai";
import { BROADCAST_GRACE_MS } from "../../../actors/live/live-stream/machine.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import type { Success } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

type Poll = Success<"createPoll">;

describe("polls by REST and on sockets", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  const pollBody = {
    question: "Which boss next?",
    options: ["The old one", "The new one", "None"],
    duration_sec: 60,
  };
  const open = (by: Person, { at }: Channel, more: { headers?: Record<string, string> } = {}) =>
    by.api.ok("createPoll", { params: at, body: pollBody, ...more });
  const at = ({ id }: Poll) => ({ poll_id: id });
  const optionOf = ({ options }: Poll, n: number) => options[n]?.id ?? "";
  const vote = (by: Person, poll: Poll, n: number) =>
    by.api.call("voteInPoll", { params: at(poll), body: { option_id: optionOf(poll, n) } });
  const votesOf = ({ options }: Poll) => options.map(({ votes }) => votes);

  async function listen({ at: { stream_id } }: Channel): Promise<Socket> {
    const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${stream_id}`);
    sockets.push(socket);
    return socket;
  }
  const stateOf = async (socket: Socket) => Object(await socket.next("subscribed")).data.state;

  it("run from opening to the exact end, and everybody in the room is notified", async () => {
    const channel = await given.channel();
    const socket = await listen(channel);
    expect(await stateOf(socket)).include({ poll: null });
    const poll = await open(channel.owner, channel);
    const { owner } = channel;

    expect(poll).include({
      question: pollBody.question,
      status: "active",
      duration_sec: 60,
      creator_id: owner.id,
    });
    expect(poll.options.map(({ text, order }) => [text, order])).deep.equal([
      ["The old one", 0],
      ["The new one", 1],
      ["None", 2],
    ]);
    shows("polls.order");
    expect(Date.parse(poll.ends_at) - Date.parse(poll.created_at)).equal(60_000);
    const opening = Object(await socket.next("chat.poll"));
    expect(opening.data).deep.include({ id: poll.id, status: "active", total_votes: 0 });
    expect(opening).property("seq");

    const [first, second] = [await given.user(), await given.user()];
    expect((await vote(first, poll, 1)).status).equal(200);
    const progress = Object(await socket.next("chat.poll_progress"));
    expect(progress).not.property("seq");
    expect(votesOf(progress.data)).deep.equal([0, 1, 0]);
    const answered = (await vote(second, poll, 0)).body as Poll;
    expect(answered).include({ total_votes: 2, voted_option_id: optionOf(poll, 0) });
    expect(votesOf(answered)).deep.equal([1, 1, 0]);
    expect((await stateOf(await listen(channel))).poll).include({ id: poll.id, total_votes: 2 });

    const ended = await owner.api.ok("endPoll", { params: at(poll) });
    expect(ended).include({ status: "ended", total_votes: 2 });
    expect(votesOf(ended)).deep.equal([1, 1, 0]);
    expect(Date.parse(ended.ends_at)).below(Date.parse(poll.ends_at));
    const { data } = await socket.next("chat.poll_ended");
    expect(data).deep.equal({ ...ended });
    expect((await stateOf(await listen(channel))).poll).equal(null);
    expect((await owner.api.call("getCurrentPoll", { params: channel.at })).code).equal("not_found");
    for (const one of sockets) expect(one.problems).deep.equal([]);
  });

  it("show votes before the end to who has voted, and to nobody else", async () => {
    const channel = await given.channel();
    const poll = await open(channel.owner, channel);
    const [voter, other] = [await given.user(), await given.user()];
    await vote(voter, poll, 2);
    const current = (api: Person["api"]) => api.ok("getCurrentPoll", { params: channel.at });

    const own = await current(voter.api);
    expect(own).include({ total_votes: 1, voted_option_id: optionOf(poll, 2) });
    for (const api of [other.api, channel.owner.api, world.api]) {
      const shown = await current(api);
      expect(shown).include({ id: poll.id });
      expect(shown).not.any.keys("total_votes", "voted_option_id");
      expect(votesOf(shown)).deep.equal([undefined, undefined, undefined]);
    }
  });

  it("take one vote a user, and say which it was", async () => {
    const channel = await given.channel();
    const poll = await open(channel.owner, channel);
    const voter = await given.user();

    const answers = await Promise.all([0, 1, 2, 0].map((n) => vote(voter, poll, n)));

    expect(answers.map(({ status }) => status).sort()).deep.equal([200, 409, 409, 409]);
    const [counted] = answers.flatMap(({ status, body }) => (status === 200 ? [body as Poll] : []));
    const refused = await vote(voter, poll, 1);
    expect(refused).include({ code: "already_voted" });
    expect(refused.details).deep.equal({ option_id: counted?.voted_option_id });
    const ended = await channel.owner.api.ok("endPoll", { params: at(poll) });
    expect(ended.total_votes).equal(1);
    expect((await vote(voter, poll, 1)).code).equal("already_voted");
    expect((await vote(await given.user(), poll, 1)).code).equal("invalid_state");
    expect((await channel.owner.api.call("endPoll", { params: at(poll) })).code).equal("invalid_state");
  });

  it("end by themselves when their time is over, and when the channel goes off the air", async () => {
    const channel = await given.liveChannel();
    const socket = await listen(channel);
    await socket.next("subscribed");
    const gone = async () =>
      (await channel.owner.api.call("getCurrentPoll", { params: channel.at })).status === 404;

    await open(channel.owner, channel);
    world.clock.move(60_000);
    await eventually(gone, { what: "its time is over" });
    await socket.next("chat.poll_ended");

    await channel.owner.api.ok("createPoll", {
      params: channel.at,
      body: { ...pollBody, duration_sec: 1_800 },
    });
    await given.hook("publish_done", { key: channel.stream.stream_key });
    world.clock.move(BROADCAST_GRACE_MS);
    await eventually(gone, { what: "the broadcast is over" });
    await eventually(() => socket.ofType("chat.poll_ended").length === 2, { what: "both ends are received" });
    expect(socket.problems).deep.equal([]);
  });

  it("open once per key, and one at a time", async () => {
    const channel = await given.channel();
    const moderator = await given.moderatorOf(channel);
    const key = { headers: { "idempotency-key": "open-1" } };

    const first = await open(moderator, channel, key);
    const again = await open(moderator, channel, key);
    const second = await channel.owner.api.call("createPoll", { params: channel.at, body: pollBody });

    expect(again).deep.equal(first);
    expect(second).include({ status: 409, code: "poll_open" });
  });

  it("may be requested ten times a minute by one user", async () => {
    const channel = await given.channel();
    const moderator = await given.moderatorOf(channel);
    const ask = ({ api }: Person) => api.call("createPoll", { params: channel.at, body: pollBody });
    const codes = [];
    for (let i = 0; i < 10; i++) codes.push((await ask(moderator)).code);

    const { code, details } = await ask(moderator);

    expect(codes).deep.equal([null, ...Array(9).fill("poll_open")]);
    expect({ code, ...details }).include({ code: "rate_limited", bucket: "polls", limit: 10 });
    expect((await ask(channel.owner)).code).equal("poll_open");
  });

  it("are opened and ended by moderators, and voted in by who may chat there", async () => {
    const channel = await given.channel();
    const { owner } = channel;
    const moderator = await given.moderatorOf(channel);
    const foreign = await given.moderatorOf(await given.channel());
    const [viewer, banned, timedOut] = [await given.user(), await given.user(), await given.user()];
    await owner.api.ok("banUser", { params: { ...channel.at, user_id: banned.id }, body: {} });
    const shortly = { reason: "Shouting", duration_seconds: 60 };
    await owner.api.ok("timeoutUser", { params: { ...channel.at, user_id: timedOut.id }, body: shortly });
    const poll = await open(moderator, channel);

    for (const by of [foreign, viewer, banned]) {
      expect((await by.api.call("createPoll", { params: channel.at, body: pollBody })).code).equal(
        "forbidden",
      );
      expect((await by.api.call("endPoll", { params: at(poll) })).code).equal("forbidden");
    }
    expect((await vote(banned, poll, 0)).code).equal("banned");
    const refused = await vote(timedOut, poll, 0);
    expect(refused).include({ status: 403, code: "timed_out" });
    expect(refused.details.retry_after_ms).within(1, 60_000);
    for (const by of [owner, moderator, foreign, viewer]) expect((await vote(by, poll, 0)).status).equal(200);
    expect((await owner.api.ok("endPoll", { params: at(poll) })).total_votes).equal(4);
  });

  it("refuse what has no right form, and options that aren't theirs", async () => {
    const channel = await given.channel();
    const refusedFor = async (change: object) =>
      (await channel.owner.api.call("createPoll", { params: channel.at, body: { ...pollBody, ...change } }))
        .code;
    const faults = [
      { question: "" },
      { question: "x".repeat(61) },
      { options: ["one"] },
      { options: ["1", "2", "3", "4", "5", "6"] },
      { options: ["one", "x".repeat(26)] },
      { options: ["one", "\u200b"] },
      { duration_sec: 14 },
      { duration_sec: 1_801 },
    ];
    for (const fault of faults)
      expect(await refusedFor(fault), JSON.stringify(fault)).equal("validation_failed");
    const widest = {
      question: "\u{1f600}".repeat(60),
      options: ["1", "2", "3", "4", "\u{1f600}".repeat(25)],
    };
    const poll = await channel.owner.api.ok("createPoll", {
      params: channel.at,
      body: { ...widest, duration_sec: 1_800 },
    });
    const viewer = await given.user();
    const stray = await viewer.api.call("voteInPoll", { params: at(poll), body: { option_id: "none" } });

    expect(stray).include({ status: 400, code: "option_unknown" });
    expect(
      (await viewer.api.call("voteInPoll", { params: { poll_id: viewer.id }, body: { option_id: "x" } }))
        .code,
    ).equal("not_found");
  });
});
