import type { CallOptions } from "../../support/api.ts";
import type { World } from "../../support/world.ts";
import type { People } from "./people.ts";

const asked = { question: "Who may do this?", options: ["Everybody", "Nobody"], duration_sec: 600 };

/** A channel has one open poll, so the last one goes first, whoever made it. */
export function pollRequests(world: World, { at, owner }: Pick<People, "at" | "owner">) {
  async function close(): Promise<void> {
    const open = await world.core.polls.openOf(at.stream_id);
    if (open) await world.core.polls.end(open._id, owner.id);
  }

  async function newPoll() {
    await close();
    const { id, options } = await owner.api.ok("createPoll", { params: at, body: asked });
    return { params: { poll_id: id }, option_id: options[0]?.id ?? "" };
  }

  return {
    values: { poll_id: async () => (await newPoll()).params.poll_id },
    prepared: {
      createPoll: async (): Promise<CallOptions> => {
        await close();
        return { params: at, body: asked };
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
