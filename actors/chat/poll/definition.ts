import type { Db } from "mongodb";
import { chatBansIn } from "../../../store/mongo/chat/chat-bans.ts";
import { pollVotesIn } from "../../../store/mongo/chat/poll-votes.ts";
import { ONE_OPEN_POLL, pollsIn } from "../../../store/mongo/chat/polls.ts";
import { NO_BARS, refusalByBan, refusalByBars, viewerBarsIn } from "../../channels/public.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { type ActorDefinition, type Decision, type PendingCommand, refuse } from "../../host/definition.ts";
import { type PollReads, type PollTypes, pollEffects } from "./effects.ts";
import {
  POLL_VERSION,
  type PollCommand,
  type PollContext,
  pollCommands,
  pollContext,
  pollInput,
  pollMachine,
} from "./machine.ts";
import { pollDoc } from "./view.ts";

export type PollDefinition = ActorDefinition<PollTypes>;

export function pollDefinition(db: Db): PollDefinition {
  const polls = pollsIn(db);
  const votes = pollVotesIn(db);
  const chatBans = chatBansIn(db);
  const barsOf = viewerBarsIn(db);
  return {
    name: "poll",
    version: POLL_VERSION,
    machine: pollMachine,
    context: pollContext,
    input: pollInput,
    commands: pollCommands,

    async prepare({ id, context, pending }) {
      const requesters = [
        ...new Set(pending.flatMap(({ command, by }) => (command && by !== null ? [by] : []))),
      ];
      const [cast, bans, bars] = await Promise.all([
        requesters.length > 0 ? votes.ofUsers(id, requesters) : [],
        context && requesters.length > 0 ? chatBans.bansOf(context.streamId, requesters) : [],
        context ? barsOf(context.channelUserId, votersOf(pending)) : NO_BARS,
      ]);
      return {
        votes: new Map(cast.map((vote) => [vote.userId, vote.optionId])),
        bans: new Map(bans.map((ban) => [ban.userId, ban])),
        bars,
      };
    },

    unique: { [ONE_OPEN_POLL]: { code: "poll_open" } },
    decide: (command, scope) =>
      command.type === "vote" ? decideVote(command, scope) : { ok: true, event: command },
    effects: pollEffects(db),
    save: (states, session) => polls.save(states.map(pollDoc), session),
    answer: (state, { reads, by }) => ({
      poll: pollDoc(state),
      votedOptionId: (by === null ? undefined : reads.votes.get(by)) ?? null,
    }),
  };
}

const votersOf = (pending: PendingCommand<PollTypes>[]) => [
  ...new Set(pending.flatMap(({ command }) => (command?.type === "vote" ? [command.userId] : []))),
];

type Vote = Extract<PollCommand, { type: "vote" }>;
type Scope = { state: ActorState<PollContext>; reads: PollReads; at: Date };

function decideVote(vote: Vote, { state, reads, at }: Scope): Decision<PollCommand> {
  const { userId, optionId } = vote;
  // Checked first, even for a poll that has ended: a retry after a lost answer learns that the vote was counted.
  const cast = reads.votes.get(userId);
  if (cast !== undefined) return refuse("already_voted", { option_id: cast });
  if (state.status !== "active") return refuse("invalid_state", { status: state.status });
  const refusal = refusalByBars(reads.bars, userId) ?? refusalByBan(reads.bans.get(userId), at);
  if (refusal) return { ok: false, refusal };
  if (!state.context.options.some(({ id }) => id === optionId))
    return refuse("option_unknown", { option_id: optionId });
  return { ok: true, event: vote };
}
