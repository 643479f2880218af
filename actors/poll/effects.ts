import type { Db } from "mongodb";
import { newId } from "../../store/ids.ts";
import type { BanInForce } from "../../store/mongo/channel-people.ts";
import { moderationActionsIn } from "../../store/mongo/moderation-actions.ts";
import { pollVotesIn } from "../../store/mongo/poll-votes.ts";
import type { PollDoc } from "../../store/mongo/polls.ts";
import { type EffectHandlers, eachOf } from "../host/effect.ts";
import type { PollCommand, PollContext, PollEffects, PollInput } from "./machine.ts";
import { pollDoc, pollView } from "./view.ts";

/** What a batch read of those who vote or end in it, kept up to date while it is decided. */
export type PollReads = {
  /** By user: the option of who has voted. */
  votes: Map<string, string>;
  /** By user: also timeouts that are over. */
  bans: ReadonlyMap<string, BanInForce>;
};

export type PollAnswer = {
  poll: PollDoc;
  /** Of who asks; null for no vote. */
  votedOptionId: string | null;
};

export type PollTypes = {
  command: PollCommand;
  event: PollCommand;
  context: PollContext;
  input: PollInput;
  effects: PollEffects;
  reads: PollReads;
  answer: PollAnswer;
};

/** What each effect means, written into the same transaction as the snapshot. */
export function pollEffects(db: Db): EffectHandlers<PollTypes> {
  const votes = pollVotesIn(db);
  const actions = moderationActionsIn(db);

  return {
    takeVote: {
      apply({ params: { userId, optionId } }, reads) {
        reads.votes.set(userId, optionId);
      },
      async write(batches, session) {
        const cast = eachOf(batches).map(([{ params, after }, { id: pollId }]) => {
          const { userId, optionId } = params;
          return { pollId, userId, optionId, votedAt: after.at };
        });
        await votes.insert(cast, session);
      },
    },

    // What comes by time, or with the broadcast's end, is nobody's act.
    noteAct: {
      async write(batches, session) {
        const acts = eachOf(batches).flatMap(
          ([
            {
              params,
              after: { context },
              by,
            },
            { now },
          ]) => {
            if (by === null) return [];
            const { streamId, roomId } = context;
            const entry = {
              _id: newId(),
              streamId,
              roomId,
              actorId: by,
              targetId: null,
              action: params.action,
            };
            return [{ ...entry, reason: null, durationSeconds: null, createdAt: now }];
          },
        );
        await actions.insert(acts, session);
      },
    },

    announce: {
      write(batches) {
        for (const [{ params, after }, { outbox }] of eachOf(batches))
          outbox.room(after.context.streamId, params.event, pollView(pollDoc(after)));
      },
    },
  };
}
