import { expect } from "chai";
import type { Db } from "mongodb";
import type { ModerationActionDoc } from "../../../../store/mongo/chat/moderation-actions.ts";
import type { PollVoteDoc } from "../../../../store/mongo/chat/poll-votes.ts";
import type { PollDoc } from "../../../../store/mongo/chat/polls.ts";
import type { PublishedEvents } from "../../host/published-events.ts";

/** Votes by option, counted from the vote documents. */
export async function votesOf(db: Db, { _id: pollId, options }: Pick<PollDoc, "_id" | "options">) {
  const votes = await db.collection<PollVoteDoc>("poll_votes").find({ pollId }).toArray();
  const strays = votes.filter(({ optionId }) => !options.some(({ id }) => id === optionId));
  expect(strays, `votes for nothing in ${pollId}`).deep.equal([]);
  return options.map(({ id }) => votes.filter(({ optionId }) => optionId === id).length);
}

/** Checks a poll's document against its actor, and both against the votes. */
export async function expectCounted(
  db: Db,
  id: string,
  { status, context }: { status: string; context: Record<string, unknown> },
): Promise<void> {
  const doc = await db.collection<PollDoc>("polls").findOne({ _id: id });
  const { streamId, options } = context;
  const endsAt = new Date(Number(context.endsAt));
  const isOpen = status === "active";
  expect(doc, `the document of ${id}`).deep.include({ status, isOpen, streamId, options, endsAt });
  if (!doc) return;
  expect(
    doc.options.map(({ votes }) => votes),
    `votes of ${id}`,
  ).deep.equal(await votesOf(db, doc));
}

/**
 * Checks an ended poll in which each of `voters` users voted once: its room got the exact result, and its log has who opened
 * it.
 */
export async function expectExactEnd(
  db: Db,
  poll: PollDoc,
  voters: number,
  { room }: PublishedEvents,
): Promise<void> {
  const { _id, streamId } = poll;
  expect(poll.status, `poll ${_id}`).equal("ended");
  const votes = await votesOf(db, poll);
  const ended = room.filter(({ type, data }) => type === "chat.poll_ended" && Object(data).id === _id);
  const finals = ended.map(({ data }) => {
    const options: { votes: number }[] = Object(data).options;
    return [Object(data).total_votes, ...options.map((option) => option.votes)];
  });
  // At least once, and always with the same figures.
  expect([...new Set(finals.map(String))], `the end of ${_id}`).deep.equal([String([voters, ...votes])]);
  const acts = db.collection<ModerationActionDoc>("moderation_actions").find({ streamId });
  const opened = (await acts.toArray()).filter(({ action }) => action === "poll_opened");
  expect(opened.length, `openings of ${_id} in the log`).equal(1);
}
