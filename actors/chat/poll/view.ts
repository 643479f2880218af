import type { ChatPoll } from "../../../contract/wire.ts";
import { POLL_STATUSES, type PollDoc } from "../../../store/mongo/chat/polls.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { publicStatus } from "../../host/public-status.ts";
import type { PollContext } from "./machine.ts";

/** A poll as its room sees it, with the current votes. */
export function pollView(doc: PollDoc): ChatPoll {
  return {
    id: doc._id,
    question: doc.question,
    status: doc.status,
    options: doc.options.map(({ id, text, votes }, order) => ({ id, text, order, votes })),
    total_votes: doc.options.reduce((sum, { votes }) => sum + votes, 0),
    created_at: doc.createdAt.toISOString(),
    ends_at: doc.endsAt.toISOString(),
    duration_sec: doc.durationMs / 1_000,
    creator_id: doc.createdBy,
  };
}

/** A poll as one user sees it. Users who haven't voted (`votedOptionId` is null) see the votes only once it has ended. */
export function ownPollView(doc: PollDoc, votedOptionId: string | null): ChatPoll {
  const view = pollView(doc);
  if (votedOptionId !== null) return { ...view, voted_option_id: votedOptionId };
  if (doc.status === "ended") return view;
  const { total_votes, options, ...rest } = view;
  return { ...rest, options: options.map(({ id, text, order }) => ({ id, text, order })) };
}

/** The projection of an actor's state; the only place that maps states to public statuses. */
export function pollDoc(state: ActorState<PollContext>): PollDoc {
  const { id, context } = state;
  const status = publicStatus(state, POLL_STATUSES);
  return {
    _id: id,
    streamId: context.streamId,
    channelUserId: context.channelUserId,
    question: context.question,
    status,
    isOpen: status === "active",
    options: context.options,
    durationMs: context.durationMs,
    endsAt: new Date(context.endsAt),
    createdBy: context.createdBy,
    createdAt: new Date(context.openedAt),
  };
}
