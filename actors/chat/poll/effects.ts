import type { Db } from "mongodb";
import { newId } from "../../../base/ids.ts";
import type { BanUntil } from "../../../store/mongo/chat/chat-bans.ts";
import { moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import { pollVotesIn } from "../../../store/mongo/chat/poll-votes.ts";
import type { PollDoc } from "../../../store/mongo/chat/polls.ts";
import type { ViewerBars } from "../../channels/public.ts";
import { type EffectHandlers, eachOf } from "../../host/effect.ts";
import type { PollCommand, PollContext, PollEffects, PollInput } from "./machine.ts";
import { pollDoc, pollView } from "./view.ts";

/** What was read for the requesters of a batch, kept up to date while the batch is decided. */
export type PollReads = {
  /** By user id: the option voted for. */
  votes: Map<string, string>;
  /** By user id; includes expired timeouts. */
  bans: ReadonlyMap<string, BanUntil>;
  bars: ViewerBars;
};

type PollAnswer = {
  poll: PollDoc;
  /** The requesting user's vote, or null. */
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

/** Effect handlers; they write in the same transaction as the snapshot. */
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

    // An end by timer or by the broadcast's end was nobody's act, so it isn't logged.
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
