import type { CallOptions } from "../../support/api.ts";
import type { World } from "../../support/world.ts";
import type { People } from "./people.ts";

const pollBody = { question: "Who may do this?", options: ["Everybody", "Nobody"], duration_sec: 600 };

/** A channel has one open poll, so the previous one is ended first, no matter who opened it. */
export function pollRequests(world: World, { at, owner }: Pick<People, "at" | "owner">) {
  async function close(): Promise<void> {
    const open = await world.core.polls.openOf(at.stream_id);
    if (open) await world.core.polls.end(open._id, owner.id);
  }

  async function newPoll() {
    await close();
    const { question, options, duration_sec: durationSeconds } = pollBody;
    const stream = await world.core.channels.require(at.stream_id);
    // Not by REST, because of the rate limit.
    const opened = await world.core.polls.open({
      stream,
      question,
      options,
      durationSeconds,
      by: owner.id,
      key: null,
    });
    return { params: { poll_id: opened._id }, option_id: opened.options[0]?.id ?? "" };
  }

  return {
    values: { poll_id: async () => (await newPoll()).params.poll_id },
    prepared: {
      createPoll: async (): Promise<CallOptions> => {
        await close();
        return { params: at, body: pollBody };
      },
      getCurrentPoll: async (): Promise<CallOptions> => {
        await newPoll();
        return { params: at };
      },
      voteInPoll: async (): Promise<CallOptions> => {
        const { params, option_id } = await newPoll();
        return { params, body: { option_id } };
      },
    },
  };
}
