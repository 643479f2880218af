import { expect } from "chai";
import type { OnProgress } from "../../../../actors/host/progress.ts";
import { FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import { chatBansIn } from "../../../../store/mongo/chat/chat-bans.ts";
import { moderationActionsIn } from "../../../../store/mongo/chat/moderation-actions.ts";
import type { PollDoc } from "../../../../store/mongo/chat/polls.ts";
import type { SnapshotDoc } from "../../../../store/mongo/host/snapshots.ts";
import { eventually } from "../../../support/eventually.ts";
import { expectAgreement } from "../../host/agreement.ts";
import { againWhenOverloaded } from "../../host/when-overloaded.ts";
import { openWorld, type World } from "../../host/world.ts";
import { expectExactEnd, votesOf } from "./counted-votes.ts";
import { runCrowdVotes } from "./crowd-votes.ts";

describe("polls", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  type Worker = Pick<World, "polls">;
  const input = {
    question: "Which boss next?",
    options: ["The old one", "The new one"],
    durationSeconds: 60,
  };
  const open = (stream: StreamDoc, { polls }: Worker = world) =>
    polls.open({ ...input, stream, by: stream.userId });
  const optionOf = (poll: PollDoc, n: number) => poll.options[n]?.id ?? "";

  /** "counted", or the refusal's code. */
  const vote = (poll: PollDoc, n: number, userId: string, { polls }: Worker = world) =>
    outcomeOf(polls.vote(poll._id, optionOf(poll, n), userId).then(() => "counted"));
  const outcomeOf = (call: Promise<string>) =>
    call.catch((err: unknown) => {
      if (err instanceof ServiceError) return err.code;
      throw err;
    });
  const users = (count: number) => Array.from({ length: count }, newId);
  const actionsOf = async ({ _id }: StreamDoc) =>
    (await moderationActionsIn(world.mongo.db).ofStream(_id, 0, 9)).map(({ action, actorId }) => [
      action,
      actorId,
    ]);

  it("count one of a user's votes, however many come at once by whichever worker", async () => {
    const rival = world.rival();
    const stream = await world.stream();
    const poll = await open(stream);
    for (let round = 0; round < 10; round++) {
      const userId = newId();

      const answers = await Promise.all(
        [0, 1, 0, 1].map((n, i) => vote(poll, n, userId, i < 2 ? world : rival)),
      );

      expect(answers.sort()).deep.equal(["already_voted", "already_voted", "already_voted", "counted"]);
      const counted = await world.polls.votedOptionOf(poll._id, userId);
      const again = await world.polls.vote(poll._id, optionOf(poll, 0), userId).catch((err: unknown) => err);
      expect(Object(again).details).deep.equal({ option_id: counted });
    }
    expect((await votesOf(world.mongo.db, poll)).reduce((a, b) => a + b)).equal(10);
    await expectAgreement(world.mongo.db, [`poll:${poll._id}`]);
  });

  it("of a crowd by two workers end exactly", async () => {
    const { commits } = await runCrowdVotes({ votes: 1_000, width: 250 });
    expect(commits).below(60);
  });

  it("gather a crowd's votes into few commits, and lose none", async () => {
    const stream = await world.stream();
    const poll = await open(stream);

    const answers = await Promise.all(
      users(2_000).map((userId, i) =>
        outcomeOf(
          againWhenOverloaded(() =>
            world.polls.vote(poll._id, optionOf(poll, i % 4 === 0 ? 0 : 1), userId),
          ).then(() => "counted"),
        ),
      ),
    );

    expect(new Set(answers)).deep.equal(new Set(["counted"]));
    const { poll: ended } = await world.polls.end(poll._id, stream.userId);
    expect(ended.options.map(({ votes }) => votes)).deep.equal([500, 1_500]);
    const snapshot = await world.mongo.db
      .collection<SnapshotDoc>("snapshots")
      .findOne({ _id: `poll:${poll._id}` });
    expect(snapshot?.version).below(20);
    await expectExactEnd(world.mongo.db, ended, 2_000, world);
  });

  it("count or refuse each vote beside the end, by a moderator or by time", async () => {
    const rival = world.rival();
    for (const ends of ["moderator", "time"] as const) {
      const stream = await world.stream();
      const poll = await open(stream);
      const voting = users(300).map((userId, i) => {
        const answer = vote(poll, i % 2, userId, i % 3 === 0 ? rival : world);
        if (i !== 150) return answer;
        const end = ends === "moderator" ? rival.polls.end(poll._id, stream.userId) : world.pass(60_000);
        return end.then(() => answer);
      });
      const first = await Promise.all(voting);
      const second = await Promise.all(users(20).map((userId) => vote(poll, 0, userId)));
      const answers = [...first, ...second];

      expect(new Set(answers)).deep.equal(new Set(["counted", "invalid_state"]));
      await eventually(async () => (await world.polls.require(poll._id)).status === "ended");
      await world.settled();
      await rival.host.idle();
      const ended = await world.polls.require(poll._id);
      const counted = answers.filter((answer) => answer === "counted").length;
      await expectExactEnd(world.mongo.db, ended, counted, world);
      expect(
        ended.options.reduce((sum, { votes }) => sum + votes, 0),
        ends,
      ).equal(counted);
    }
  });

  it("take no vote past their time, also when nobody has fired their timer", async () => {
    const poll = await open(await world.stream());
    world.move(59_999);
    expect(await vote(poll, 0, newId())).equal("counted");
    world.move(1);

    expect(await vote(poll, 0, newId())).equal("invalid_state");
    expect((await world.polls.require(poll._id)).options.map(({ votes }) => votes)).deep.equal([1, 0]);
  });

  it("that two moderators open at once by two workers: one is, the other is refused", async () => {
    const rival = world.rival();
    for (let round = 0; round < 10; round++) {
      const stream = await world.stream();
      const opened = [world, rival].map((worker) => outcomeOf(open(stream, worker).then(({ _id }) => _id)));

      const id = (await Promise.all(opened)).filter((one) => one !== "poll_open");

      expect(id).deep.equal([(await world.polls.openOf(stream._id))?._id]);
    }
  });

  it("take no vote of who is banned or timed out, until it is over", async () => {
    const { db } = world.mongo;
    const stream = await world.stream();
    const poll = await open(stream);
    const [banned, timedOut] = [newId(), newId()];
    const ban = { streamId: stream._id, reason: null, by: stream.userId, createdAt: new Date() };
    await chatBansIn(db).setBan({ ...ban, userId: banned, until: null });
    await chatBansIn(db).setBan({
      ...ban,
      userId: timedOut,
      until: new Date(world.clock.now() + 10_000),
    });

    expect(await vote(poll, 0, banned)).equal("banned");
    expect(await vote(poll, 0, timedOut)).equal("timed_out");
    world.move(10_000);
    expect(await vote(poll, 0, timedOut)).equal("counted");
    expect(await votesOf(db, poll)).deep.equal([1, 0]);
  });

  it("end with the broadcast", async () => {
    const stream = await world.stream();
    await world.broadcasts.publish({ stream, clientId: "obs" });
    await world.pass(FIRST_PICTURE_MS);
    const poll = await open(stream);
    await vote(poll, 1, newId());

    await world.broadcasts.publishDone({ stream, clientId: "obs" });
    world.move(30_000);
    expect((await world.polls.require(poll._id)).status).equal("active");
    await world.broadcasts.ownerBanned(stream._id);

    await eventually(async () => (await world.polls.require(poll._id)).status === "ended");
    await world.settled();
    await expectExactEnd(world.mongo.db, await world.polls.require(poll._id), 1, world);
    expect(await actionsOf(stream)).deep.equal([["poll_opened", stream.userId]]);
  });

  it("stand in the channel's log with who opened and ended them", async () => {
    const stream = await world.stream();
    const [one, other] = [newId(), newId()];
    const poll = await world.polls.open({ ...input, stream, by: one });
    await world.polls.end(poll._id, other);

    expect(await outcomeOf(world.polls.end(poll._id, other).then(() => "ended"))).equal("invalid_state");
    expect(await actionsOf(stream)).deep.equal([
      ["poll_ended", other],
      ["poll_opened", one],
    ]);
  });

  it("show how they stand at most twice a second, and the last of it for sure", async () => {
    const shown: { at: number; total: number }[] = [];
    const onProgress: OnProgress = (_streamId, { type, data }) => {
      if (type === "chat.poll_progress") shown.push({ at: performance.now(), total: data.total_votes ?? -1 });
    };
    const rival = world.rival({ onProgress });
    const poll = await open(await world.stream());

    for (const userId of users(30)) await vote(poll, 0, userId, rival);
    await eventually(() => shown.at(-1)?.total === 30, { what: "the last vote is shown" });

    // Twice a second, with what another worker counted meanwhile, however late this one's count came.
    await vote(poll, 0, newId(), rival);
    await vote(poll, 0, newId());
    await eventually(() => shown.at(-1)?.total === 32, { what: "what the other worker counted is shown" });

    const gaps = shown.slice(1).map(({ at }, i) => at - (shown[i]?.at ?? 0));
    for (const gap of gaps) expect(gap).above(450);
  });
});
