import { ownPollView } from "../../actors/chat/poll/view.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function pollRoutes({ bind }: Operations, { polls }: RouteDeps): void {
  bind("createPoll", async ({ caller, stream, body, idempotencyKey }) => {
    const opened = await polls.open({
      stream,
      question: body.question,
      options: body.options,
      durationSeconds: body.duration_sec,
      by: caller.userId,
      key: idempotencyKey,
    });
    return ownPollView(opened, null);
  });

  bind("getCurrentPoll", async ({ caller, stream }) => {
    const open = await polls.openOf(stream._id);
    if (!open) throw new ServiceError("not_found");
    return ownPollView(
      open,
      caller.kind === "user" ? await polls.votedOptionOf(open._id, caller.userId) : null,
    );
  });

  bind("voteInPoll", async ({ caller, params, body }) => {
    const { poll, votedOptionId } = await polls.vote(params.poll_id, body.option_id, caller.userId);
    return ownPollView(poll, votedOptionId);
  });

  bind("endPoll", async ({ caller, poll }) => {
    const ended = await polls.end(poll._id, caller.userId);
    return ownPollView(ended.poll, ended.votedOptionId);
  });
}
