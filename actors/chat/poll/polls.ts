import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { pollVotesIn } from "../../../store/mongo/chat/poll-votes.ts";
import { type PollDoc, pollsIn } from "../../../store/mongo/chat/polls.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { type By, createActorClient } from "../../host/actor-client.ts";
import type { Host } from "../../host/host.ts";
import { defineLifecycle } from "../../host/lifecycle.ts";
import { type OnProgress, ProgressReports } from "../../host/progress.ts";
import { type PollDefinition, pollDefinition } from "./definition.ts";
import { pollView } from "./view.ts";

type Deps = { mongo: Mongo; host: Host; definition: PollDefinition; onProgress: OnProgress };

/**
 * Polls in a chat: one vote per user. Callers check who may open and end polls; the actor decides everything else, and
 * refusals are thrown as ServiceErrors.
 */
function createPolls({ mongo, host, definition, onProgress }: Deps) {
  const polls = pollsIn(mongo.db);
  const votes = pollVotesIn(mongo.db);
  const actors = createActorClient(host, definition);
  const progress = new ProgressReports<PollDoc>({
    show: (doc) => onProgress(doc.streamId, { type: "chat.poll_progress", data: pollView(doc) }),
    newest: polls.find,
  });

  return {
    /** Throws `poll_open` while the channel has another open poll. */
    async open(
      opened: { stream: StreamDoc; question: string; options: string[]; durationSeconds: number } & By,
    ): Promise<PollDoc> {
      const { stream, question, options, durationSeconds, by, key } = opened;
      const input = {
        streamId: stream._id,
        channelUserId: stream.userId,
        roomId: stream.roomId,
        question,
        options: options.map((text) => ({ id: newId(), text })),
        durationMs: durationSeconds * 1_000,
        createdBy: by,
      };
      const request = { streamId: stream._id, question, options, durationSeconds };
      return (await actors.create(newId(), input, { by, key }, { request })).poll;
    },

    /** Throws `not_found`. */
    async require(id: string): Promise<PollDoc> {
      const doc = await polls.find(id);
      if (!doc) throw new ServiceError("not_found");
      return doc;
    },
    openOf: (streamId: string) => polls.openOf(streamId),
    async roomState(streamId: string) {
      const open = await polls.openOf(streamId);
      return { poll: open ? pollView(open) : null };
    },
    /** The option that the user has voted for, or null. */
    votedOptionOf: async (id: string, userId: string) => (await votes.find(id, userId))?.optionId ?? null,

    /** Needs no idempotency key: a retry after a lost answer throws `already_voted` with the vote that was counted. */
    async vote(id: string, optionId: string, userId: string) {
      const answer = await actors.ask(id, { type: "vote", userId, optionId }, { by: userId });
      progress.report(answer.poll);
      return answer;
    },
    end: (id: string, by: string) => actors.ask(id, { type: "end" }, { by }),

    stop: () => progress.stop(),
  };
}

export const pollsLifecycle = defineLifecycle({
  define: ({ db }) => pollDefinition(db),
  open: createPolls,
});

/** What a path names by {poll_id}. */
export async function pollResource(
  { polls }: { polls: { require(id: string): Promise<PollDoc> } },
  id: string,
) {
  const poll = await polls.require(id);
  return { thing: poll, channel: { _id: poll.streamId, userId: poll.channelUserId } };
}
