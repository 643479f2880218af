import type { ClientSession, Db } from "mongodb";
import { byIds } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";

/** The one vote of a user on a poll (`_id` is "poll:user"), written once by the poll's actor and never changed. */
export type PollVoteDoc = {
  _id: string;
  pollId: string;
  userId: string;
  optionId: string;
  votedAt: Date;
};

const idOf = (pollId: string, userId: string) => `${pollId}:${userId}`;

export const pollVotesCollection = defineCollection<PollVoteDoc>("poll_votes", {
  personal: {
    erase: { userId: "delete", _id: { with: "userId" } },
    exports: [{ by: "userId", shows: ["pollId", "optionId", "votedAt"] }],
  },

  indexes: [{ key: { userId: 1 } }], // export and erasure
});

export function pollVotesIn(db: Db) {
  const votes = pollVotesCollection.in(db);
  return {
    find: (pollId: string, userId: string) => votes.findOne({ _id: idOf(pollId, userId) }),
    ofUsers: (pollId: string, userIds: string[]) =>
      byIds(
        votes,
        userIds.map((userId) => idOf(pollId, userId)),
      ),
    /** A user's second vote causes a duplicate key. */
    insert: async (cast: Omit<PollVoteDoc, "_id">[], session: ClientSession) =>
      void (await votes.insertMany(
        cast.map((vote) => ({ _id: idOf(vote.pollId, vote.userId), ...vote })),
        { session },
      )),
  };
}
